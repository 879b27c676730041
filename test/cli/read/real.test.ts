/**
 * `countersign read` on what the service builds: the short part alone says what leaves, what
 * arrives and where, and who gains rights; deposits are what the wallet then pays.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { RealPages, type Seen } from './realPages.ts';

let pages: RealPages;
const page = (name: string): Seen => pages.page(name);

beforeAll(async () => {
  pages = await RealPages.make();
}, 120_000);
afterAll(() => pages.close());

describe('the short part of what the service builds', () => {
  it('of a config says who earns, that the fee claimer is the fee share itself, and who can change it', () => {
    const { short } = page('config').offline;
    expect(short).toContain('the signing wallet earns 90% and [2] earns 10%');
    expect(short).toContain('the list of earners is complete; only the signing wallet can change it later');
    expect(short).toContain(
      'The fee share of [1] earns the fees of a pool that takes these settings. [4] gets what is left of the supply when the curve is full. One token costs about 0.0000000',
    );
    expect(short).toContain('more of the token can be made by no one');
  });

  it('of a config and of a changed split says what was concluded, from what, and that the policy asks', () => {
    expect(page('config').offline.short).toContain(
      'Countersign concluded which wallet earns which share (step 3) and who may change the shares later (step 4) from the order of the accounts and numbers in these bytes',
    );
    expect(page('config').offline.short).toContain(
      'on a public network your policy asks you before it is signed',
    );
    expect(page('change').offline.flat).toContain('fromIdx and toIdx are places in the list of earners');
    expect(page('change').offline.short).toContain(
      'which wallet earns which share (step 3) and which earners are replaced (step 3)',
    );
    // A launch and a trade are read as their programs publish it.
    for (const name of ['launch', 'buy']) expect(page(name).online.short).not.toContain('concluded');
  });

  it('of a config lists in full the addresses that earn or decide, to be compared', () => {
    const { short } = page('config').offline;
    expect(short).toMatch(/\[1\] \w{43,44} the token whose fees are shared\./);
    expect(short).toMatch(/\[2\] \w{43,44} earns 10% of the fees\./);
    expect(short).toMatch(
      /\[3\] \w{43,44} the new settings: a launch of the token must name exactly these\./,
    );
    expect(short).toMatch(
      /\[4\] \w{43,44} gets what is left of the supply .*nothing you can ask for names it, so ask the service whose it is\./,
    );
  });

  it('of a config with a partner says that the partner takes its part first', () => {
    expect(page('partner').offline.short).toMatch(
      /the signing wallet earns 100%; the partner \[2\] takes its part first, and of the rest the earners take their shares; its part is not in this transaction \(--rpc-url shows it where \[2\] has told the chain/,
    );
    expect(page('partner').online.short).toContain(
      "the chain does not have it yet: ask [2] before you sign, or read it in the partner's config once that is made",
    );
    expect(page('partner').offline.short).toMatch(
      /\[2\] \w{43,44} the partner, who takes a part of the fees first\./,
    );
  });

  it('of a launch on the curve names the settings, and with an RPC who earns by them', () => {
    const { offline, online } = page('launch');
    expect(offline.short).toContain(
      'it takes the settings [4] for good; they say who earns its fees: compare [4] with the settings you made or pass --rpc-url to see who earns',
    );
    const settings = /\[3\] (\w{43,44}) the new settings/.exec(page('config').offline.short)?.[1];
    expect(settings).toBeDefined();
    // The settings stand in full in the short part, and are the ones the config made.
    expect(offline.short).toContain(
      `[4] ${settings} the settings of the pool, which say for good who earns its fees: compare them with the settings you made.`,
    );
    expect(offline.text).toMatch(/^Signed by \[1\] \(the new token\); the signing wallet must sign\.$/m);
    expect(online.short).toContain(
      'All of the trading fees it earns go to the fee share of [1]. Of what the fee share gets the signing wallet earns 90% and [5] earns 10%; the platform may take a part before these shares',
    );
    // Who shares the fees is compared as well, and so are the settings although they were looked up.
    expect(online.short).toMatch(/\[5\] \w{43,44} earns 10% of the fees\./);
    expect(online.short).toMatch(
      /\[4\] \w{43,44} the settings .*: compare them with the settings you made\./,
    );
    expect(online.short).toContain(
      '0.01 SOL to the metadata program and 1 SOL into the trade on Meteora DBC',
    );
    expect(online.short).toMatch(/0\.00203928 SOL of it comes back in step 9/);
    // The token is made here: its decimals stand in the settings.
    expect(online.short).toMatch(
      /Arrives: at least [\d,]+\.\d+ of the token \[1\] in the signing wallet's account/,
    );
  });

  it('of a purchase and a sale says where they go, and what a sale brings on the whole', () => {
    const buy = page('buy').online.short;
    expect(buy).toMatch(
      /at most 2 SOL: 1\.98 SOL into the trade on Jupiter in step \d+ and 0\.02 SOL to \[1\]/,
    );
    expect(buy).toMatch(/Arrives: at least .* of the token \[2\] in the signing wallet's account \[3\]/);
    expect(buy).toContain('No one but the signing wallet gains control of anything, or a new share of fees.');
    expect(buy).toMatch(
      /\[1\] \w{43,44} gets 0\.02 SOL beside the trade, 1% of what leaves: .* the bytes do not say whose address this is\./,
    );
    expect(buy).toMatch(/\[2\] \w{43,44} the token that arrives\./);
    // The route takes accounts from an address table.
    expect(page('buy').offline.short).toContain('cannot be read without the address table; pass --rpc-url');
    const { short } = page('sell').online;
    expect(short).toContain('0.01017374 SOL to [2]');
    expect(short).toContain('Arrives: at least 1.007200323 SOL in the signing wallet.');
    expect(short).toContain('Together: at least 0.997026583 SOL more in SOL');
  });

  it('of a claim says how much is there, that it stays wrapped SOL and where, and which accounts it makes', () => {
    const { offline, online } = page('claim');
    expect(offline.short).toContain(
      'what is owed in wrapped SOL (an amount only the chain knows, and step 3 adds to it)',
    );
    expect(offline.short).toContain("in the signing wallet's account [1]");
    expect(offline.short).toContain(
      "for 3 accounts made here, unless there already (the fee share's account for wrapped SOL, the fee share's account for the token and the wallet's account for wrapped SOL)",
    );
    expect(online.short).toMatch(
      /Arrives: as the chain stands now at most 0\.0\d+ wrapped SOL in the signing wallet's account \[1\], and perhaps less\./,
    );
    expect(online.short).toMatch(
      /step 3 brings in 0\.0\d+ wrapped SOL\. Of that the platform[^.]* may take a part first, which shows only once it has landed; of the rest the signing wallet earns 90%\./,
    );
    for (const { short } of [offline, online])
      expect(short).toContain('It stays wrapped SOL: no step turns it into SOL.');
    expect(online.short).toContain('for 2 accounts made here (');
    for (const { short } of [offline, online])
      expect(short).toContain(
        "Step 3 moves the pool's fees to the fee share of [2]; a part may go to the platform, how much the bytes do not say.",
      );
    expect(online.flat).toContain(
      "a part of it may go to the platform's vault: whether and how much, these bytes do not say",
    );
    expect(online.text).toContain("the platform's vault is ERH2UUYzUULwKy7sLHxeEGcN4B2QjDoQS8Z8GMhuL8cE");
  });

  it('of a changed split says what every share becomes, and that two accounts grow', () => {
    const { offline, online } = page('change');
    expect(offline.short).toContain(
      'the first 2 earners are replaced by these: [2] earns 10%, the signing wallet earns 50% and [3] earns 40%; together that is 100%: no other earner is left after it; who earned before is not known here: pass --rpc-url',
    );
    expect(online.short).toContain(
      'the shares become: the signing wallet 90% → 50% and [3] 0% → 40%; [2] keeps 10%',
    );
    expect(online.short).toContain('only the signing wallet can change it again');
    expect(online.short).toContain('for 2 accounts that grow (the list of earners and the fee share)');
  });

  it('of an address table says who controls it and lists every address as own, known or unknown', () => {
    const { flat, short, text: all } = page('table 1').online;
    expect(short).toContain('an address table is made at [1]; the signing wallet controls it');
    expect(short).toMatch(
      /28 addresses are added .* 7 known here by name \(the platform, the fee share of \[2\]/,
    );
    expect(short).toContain('and 21 not known here (');
    expect(short).toContain('1 step decides who controls or earns, or cannot be undone:');
    expect(flat).toContain('which makes later transactions shorter and gives no right');
    expect(all.match(/^ {2}\[\d+\] \w{32,44}$/gm)?.length).toBeGreaterThanOrEqual(21);
    expect(short).toContain('at most 0.0075168 SOL for 1 account made here');
  });

  it('of a config of many earners gives the sum and says that the wallet is not among them', () => {
    const { short } = page('many 1').online;
    expect(short).toContain(
      '30 wallets earn 50.2% together: [2] earns 2.06% and [3] to [31] earn 1.66% each',
    );
    expect(short).toContain('and the 30 wallets that earn: all addresses stand at the end.');
    expect(short).toContain(
      'the list is not complete: a later transaction that [32] (the admin of the fee share program) signs gives the 49.8% that is left to more earners, and says who may change the list',
    );
    expect(short).toContain('the signing wallet earns nothing of this');
  });

  it('without the address table says that the table is missing, and no total', () => {
    const { short, flat } = page('many 1').offline;
    expect(short).toContain(
      'Step 3 (Bags fee share v2) cannot be read without the address table; pass --rpc-url.',
    );
    expect(short).toContain(
      'It gets the signature of the signing wallet, and may write to the signing wallet and',
    );
    expect(short).toContain(
      'Leaves, besides the network fee and deposits: unknown. Deposits: unknown. Arrives: unknown.',
    );
    expect(short).toContain(
      'Who gains control or a share of fees by the step that is not read is not known.',
    );
    // What an unread step takes is not bounded by the others.
    for (const name of ['many 1', 'buy', 'direct by wallet 2'])
      expect(page(name).offline.short).not.toMatch(/at (most|least)/);
    expect(page('buy').offline.short).toContain(
      'comes back in step 8; the steps that are not read may ask for more.',
    );
    expect(flat).not.toContain('is not 8SrW8DjZcAPAWYSdSu468LKLQ7WDRaEUsswNvHCiAYs');
  });

  it('without the address table names accounts by their place in it, in the JSON form too', () => {
    expect(page('buy').offline.short).toMatch(
      /\[\d\] entry \d+ of the address table \w{43,44} gets 0\.02 SOL; who that is, the bytes do not say\./,
    );
    for (const name of ['buy', 'many 1', 'direct by wallet 2']) {
      const json = page(name).offlineJson;
      expect(json).toMatch(/"entry \d+ of the address table/);
      // What stands for an entry inside the program is no address of the transaction.
      const addresses = json.match(/(?<=")[1-9A-HJ-NP-Za-km-z]{43,44}(?=")/g) ?? [];
      expect(addresses.length).toBeGreaterThan(5);
      for (const each of addresses)
        expect(Buffer.from(addressBytes(each)).toString('latin1')).not.toContain('unknown entry');
    }
  });

  it("of a pool says whose the position is that the wallet's money goes into", () => {
    const money = 'at most 499,999,999,999,369 base units of the token [1] and 14.693678755 wrapped SOL';
    expect(page('own pool').offline.short).toContain(
      `${money} into the position [2], which the signing wallet controls.`,
    );
    expect(page('own pool').offline.short).toContain(
      'Arrives: control of the position [2], which is made here.',
    );
    // Half of a billion tokens against 14.69 SOL.
    expect(page('own pool').online.short).toContain(
      'One token costs about 0.0000000293873 wrapped SOL at first. A trade costs 2% in fees.',
    );
    expect(page('own pool').offline.short).not.toContain('One token costs');
    const { offline, online } = page('pool');
    expect(offline.short).toContain(
      `${money} into the position [2], which [3] controls, NOT the signing wallet.`,
    );
    for (const { short } of [offline, online]) {
      expect(short).toContain(
        'a position is opened at [2]; [3], NOT the signing wallet, controls it and its fees',
      );
      expect(short).not.toContain('No one but');
    }
  });

  it('of a launch into a pool says whose the positions are, and where the NFT of one goes', () => {
    const { short } = page('direct by wallet 2').online;
    expect(short).toMatch(
      /into the position \[2\], which the fee share of \[1\] controls, NOT the signing wallet/,
    );
    expect(short).toMatch(
      /Steps 6, 8 and 9 together: a position is opened at \[2\]; the fee share of \[1\], NOT the signing wallet, controls it and its fees\./,
    );
    // Who holds it between two steps is not said: only how it ends.
    expect(short.match(/controls it and its fees/g)).toHaveLength(1);
    expect(short).toMatch(/\[5\] \w{43,44} earns 10% of the fees\./);
    expect(page('direct by wallet 2').online.flat).toMatch(
      /9\. Token-2022: transferChecked The NFT whose holder controls the position \[2\] goes from/,
    );
    expect(short).toMatch(
      /Comes back: 0\.\d+ SOL that lay in \[4\], an account of the signing wallet, before this transaction; it is closed\. That is no gain: it was its own\./,
    );
    expect(short).not.toContain('Together:');
    expect(short).toContain(
      'The trading fees go to the earners of the fee share of [1]: the signing wallet earns 90% and [5] earns 10%; the platform may take a part before these shares: how much is not in this transaction, and shows when fees are claimed.',
    );
    expect(page('direct by service 2').online.short).toMatch(
      /at most 1 SOL into the trade on Meteora DAMM v2 in step \d+\. Deposits: at most 0\.00407856 SOL for 2 accounts/,
    );
    expect(page('direct by service 3').online.short).toMatch(
      /Step 4: .*the NFT whose holder controls the position \[\d\]/,
    );
  });

  it('of a claim of a position says what the position has earned', () => {
    for (const by of ['service', 'wallet'])
      expect(page(`position claim by ${by}`).online.short).toMatch(
        /step 3 brings in 0\.0\d+ wrapped SOL\. Of that the platform[^.]* may take a part first[^.]*; of the rest the signing wallet earns 90%\./,
      );
  });

  it('of a trade into an account of another says so, and without the chain that it is not known whose', () => {
    const { offline, online } = page('stranger');
    expect(offline.short).toMatch(
      /At least 5 base units of the token \[\d\] goes to \[\d\], which is not the account the signing wallet has for it; whose it is, is not known here: pass --rpc-url\./,
    );
    expect(online.short).toMatch(
      /NOT to the signing wallet: at least 0\.000005 of the token \[\d\] goes to \[\d\]'s account \[\d\]\./,
    );
    for (const { short } of [offline, online]) {
      expect(short).toContain('Arrives: nothing.');
      expect(short).not.toContain('No one but');
      expect(short).toContain(
        'The least that must arrive in step 3 is next to nothing (5 base units), so the trade may bring far less than a quote says: compare it with the quote.',
      );
    }
    expect(page('buy').online.short).not.toContain('next to nothing');
    expect(offline.short).toMatch(
      /\[2\] \w{43,44} the account that what step 3 brings goes to; its owner is not known\./,
    );
  });

  it('of a launch into a pool says of the new token how it ends, its name for good, and its deposit as one', () => {
    for (const { short } of [page('direct by wallet 1').offline, page('direct by wallet 1').online]) {
      expect(short).toMatch(
        /Steps 4 and 8 together: the token \[1\] is made with 6 decimals; more of it can be made by no one; accounts of it can be frozen by no one\./,
      );
      expect(short).not.toContain('may make more of the token');
      expect(short).toMatch(/Step 5: the token \[1\] gets the name ".+" and the symbol ".+", for good/);
      expect(short).toContain('deposits: at most 0.01 SOL to the metadata program.');
      expect(short).toMatch(/Deposits: at most 0\.0091176 SOL for 3 accounts made here.* \(the token, /);
    }
  });

  it('of a purchase without the address table says how much lies where the unread step can take it', () => {
    const { short } = page('buy').offline;
    expect(short).toMatch(
      /1\.98 SOL goes into \[\d\], an account of the signing wallet, where step 7, which is not read, may take it\./,
    );
    // The deposit that comes back is the same with and without the chain.
    for (const seen of [page('buy').offline, page('buy').online])
      expect(seen.short).toMatch(/(up to 0\.00203928 SOL|all) of it comes back in step 8/);
    expect(short).not.toContain('0.00224808 SOL of it comes back');
  });

  it('of a minted supply says that wrapped SOL stays in an account of the wallet', () => {
    expect(page('mint').offline.short).toContain(
      'Stays: 20 SOL becomes wrapped SOL in [1], an account of the wallet.',
    );
    expect(page('mint').offline.short).toContain(
      "1,000,000,000 of the token [2] in the signing wallet's account [3], made new",
    );
  });
});

describe('a page with an RPC', () => {
  it('says that the settings of a launch pay another key than the fee share of the token', () => {
    const { offline, online } = page('foreign settings');
    expect(offline.short).toContain('they say who earns its fees: compare [3] with the settings you made');
    expect(online.short).toContain(
      'Of the trading fees it earns 50% goes to its creator, the signing wallet, and the other 50% to [4], which is NOT the fee share of [2]. [4] gets what is left of the supply when the curve is full. One token costs about 0.0000000',
    );
    expect(online.short).toMatch(
      /\[3\] \w{43,44} the settings .*: compare them with the settings you made\./,
    );
    expect(online.short).toContain('at first. A trade costs 2% in fees. Name and symbol');
    expect(online.short).not.toContain('No one but');
  });

  it('counts of an account that is closed what is still in it after a trade', () => {
    const { online, paid, fee } = page('unwrap');
    expect(online.short).toMatch(/at most 1 wrapped SOL into the trade on Meteora DAMM v2/);
    expect(online.short).toMatch(
      /Comes back: [\d.]+ SOL that lay in \[\d+\], an account of the signing wallet/,
    );
    expect(online.short).not.toContain('Together:');
    expect(paid).toBe(fee);
  });

  it('says how much a closed table gives back', () => {
    expect(page('closed table').online.short).toContain(
      'Arrives: nothing. Comes back: 0.01709376 SOL that lay in [1], an account of the signing wallet',
    );
  });
});

describe('the deposits on a page', () => {
  const priced = ['config', 'launch', 'buy', 'sell', 'claim', 'change', 'table 1', 'table 2', 'table 3'];

  it('of a pool bound what the wallet pays', () => {
    const { deposits, paid, fee } = page('pool');
    expect(paid - fee).toBeLessThanOrEqual(deposits);
    expect(paid - fee).toBeGreaterThan(deposits / 2n);
  });

  it.each([...priced, 'many 1', 'many 2'])(
    'of "%s" are what the wallet pays beside fee and amounts',
    (name) => {
      const { deposits, paid, fee } = page(name);
      // A trade brings more than the least that was promised, and a claim arrives wrapped.
      if (name === 'sell') expect(paid - fee).toBeLessThanOrEqual(deposits);
      else expect(paid - fee).toBe(deposits);
    },
  );
});
