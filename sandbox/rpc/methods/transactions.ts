/** Methods that send, simulate and look up transactions. */
import { transactionErrorSentence } from '../../chain/errors.ts';
import { decodeTransaction, MAX_V1_TRANSACTION_BYTES } from '../../chain/runtime/wire.ts';
import type { Simulation, TransactionRecord } from '../../chain/types.ts';
import { encodeAccount } from '../encode.ts';
import {
  invalidParams,
  PREFLIGHT_FAILURE,
  RpcError,
  SIGNATURE_FAILURE,
  UNSUPPORTED_TRANSACTION_VERSION,
} from '../errors.ts';
import type { TransportFault } from '../faults.ts';
import { type RpcNode, withContext } from '../node.ts';
import { addressIn, booleanIn, bytesIn, configIn, integerIn, stringsIn } from '../params.ts';
import { encodeTransaction, innerInstructionsJson, metaJson, returnDataJson } from '../records.ts';
import type { Methods } from './method.ts';

/** Slots of recent statuses; older ones need `searchTransactionHistory`. */
const RECENT_STATUS_SLOTS = 150;
const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1000;

/** Thrown after the work is done, to fail the transport. */
export class TransportFailure extends Error {
  readonly fault: TransportFault;

  constructor(fault: TransportFault) {
    super(`transport fault: ${fault}`);
    this.fault = fault;
  }
}

export const transactionMethods: Methods = {
  sendTransaction: (params, node) => {
    const config = params.config(1);
    const bytes = bytesIn(params.string(0), config.encoding, MAX_V1_TRANSACTION_BYTES);
    const { signature } = decodeTransaction(bytes);
    if (node.faults.meets('drop_send')) return signature;
    if (!booleanIn(config.skipPreflight, 'skipPreflight')) {
      const at = node.view({ commitment: config.preflightCommitment, minContextSlot: config.minContextSlot });
      const preflight = node.chain.simulate(bytes, { at, sigVerify: true });
      if (preflight.err !== null) throw preflightFailure(preflight);
    }
    // A node forwards the transaction; a drop by the leader shows only as a missing status.
    node.chain.submit(bytes);
    if (node.faults.meets('land_then_503')) throw new TransportFailure('503');
    if (node.faults.meets('land_then_reset')) throw new TransportFailure('reset');
    return signature;
  },

  simulateTransaction: (params, node) => {
    const config = params.config(1);
    const slot = node.view(config);
    const bytes = bytesIn(params.string(0), config.encoding, MAX_V1_TRANSACTION_BYTES);
    const sigVerify = booleanIn(config.sigVerify, 'sigVerify');
    const replaceRecentBlockhash = booleanIn(config.replaceRecentBlockhash, 'replaceRecentBlockhash');
    if (sigVerify && replaceRecentBlockhash) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    }
    const wanted = config.accounts === undefined ? undefined : configIn(config.accounts, 'accounts');
    const accounts = stringsIn(wanted?.addresses ?? [], 'accounts.addresses', 256).map((address) =>
      addressIn(address, 'accounts.addresses'),
    );
    const simulation = node.chain.simulate(bytes, {
      at: slot,
      sigVerify,
      replaceRecentBlockhash,
      accounts,
    });
    if (simulation.err === 'SignatureFailure') throw signatureFailure();
    const encoding = { encoding: 'base64', ...wanted };
    return withContext(slot, {
      ...simulationJson(simulation),
      accounts:
        wanted === undefined ? null : simulation.accounts.map((account) => encodeAccount(account, encoding)),
      innerInstructions: booleanIn(config.innerInstructions, 'innerInstructions')
        ? innerInstructionsJson(simulation.innerInstructions)
        : null,
    });
  },

  getSignatureStatuses: (params, node) => {
    const search = booleanIn(params.config(1).searchTransactionHistory, 'searchTransactionHistory');
    const signatures = params.signatures(0, MAX_STATUSES);
    const hidden = node.faults.meets('null_status');
    const lying = node.faults.meets('lying_status');
    const value = signatures.map((signature) => {
      const status = hidden ? undefined : node.chain.status(signature, node.tip);
      if (status === undefined)
        return lying ? statusJson(node.slotAt('finalized'), null, null, 'finalized') : null;
      if (!search && node.tip - status.slot > RECENT_STATUS_SLOTS) return null;
      return statusJson(status.slot, status.confirmations, status.err, status.commitment);
    });
    return withContext(node.tip, value);
  },

  getSignaturesForAddress: (params, node) => {
    const config = params.config(1);
    const slot = confirmedView(node, config);
    const limit = config.limit === undefined ? MAX_SIGNATURES : integerIn(config.limit, 'limit');
    if (limit < 1 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
    const records = node.chain.transactionsFor(params.address(0), slot);
    const start =
      config.before === undefined ? 0 : records.findIndex((r) => r.signature === config.before) + 1;
    const end = records.findIndex((r) => r.signature === config.until);
    return records
      .slice(start, end < 0 ? undefined : end)
      .slice(0, limit)
      .map((record) => ({
        signature: record.signature,
        slot: record.slot,
        err: record.err,
        memo: null,
        blockTime: record.blockTime,
        confirmationStatus: node.chain.status(record.signature, node.tip)?.commitment ?? 'processed',
      }));
  },

  getTransaction: (params, node) => {
    const options = params.raw(1);
    const config = typeof options === 'string' ? { encoding: options } : params.config(1);
    const record = node.chain.transaction(params.signature(0), confirmedView(node, config));
    if (record === undefined) return null;
    const versioned = versionAllowed(record, config.maxSupportedTransactionVersion);
    return {
      slot: record.slot,
      blockTime: record.blockTime,
      transaction: encodeTransaction(record, config.encoding ?? 'json'),
      meta: metaJson(record, versioned),
      ...(versioned ? { version: record.version } : {}),
    };
  },

  requestAirdrop: (params, node) => node.chain.airdrop(params.address(0), params.u64(1)).signature,
};

/** Returns the view of a history request, confirmed or finalized. */
function confirmedView(node: RpcNode, config: Readonly<Record<string, unknown>>): number {
  if (config.commitment === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`');
  }
  return node.view(config);
}

/** Whether the answer contains its version. Throws for a version above the client's maximum. */
function versionAllowed(record: TransactionRecord, most: unknown): boolean {
  if (most === undefined || most === null) {
    if (record.version === 'legacy') return false;
  } else if (
    record.version === 'legacy' ||
    record.version <= integerIn(most, 'maxSupportedTransactionVersion')
  ) {
    return true;
  }
  throw new RpcError(
    UNSUPPORTED_TRANSACTION_VERSION,
    `Transaction version (${record.version}) is not supported by the requesting client. ` +
      'Please try the request again with the following configuration parameter: ' +
      `"maxSupportedTransactionVersion": ${record.version}`,
  );
}

function statusJson(
  slot: number,
  confirmations: number | null,
  err: unknown,
  confirmationStatus: string,
): object {
  return { slot, confirmations, err, status: err === null ? { Ok: null } : { Err: err }, confirmationStatus };
}

function simulationJson(simulation: Simulation): object {
  return {
    err: simulation.err,
    logs: simulation.logs,
    unitsConsumed: simulation.unitsConsumed,
    returnData: returnDataJson(simulation.returnData),
    replacementBlockhash: simulation.replacementBlockhash ?? null,
  };
}

function preflightFailure(simulation: Simulation): RpcError {
  if (simulation.err === null || simulation.err === 'SignatureFailure') return signatureFailure();
  return new RpcError(
    PREFLIGHT_FAILURE,
    `Transaction simulation failed: ${transactionErrorSentence(simulation.err)}`,
    { ...simulationJson(simulation), accounts: null, innerInstructions: null },
  );
}

function signatureFailure(): RpcError {
  return new RpcError(SIGNATURE_FAILURE, 'Transaction signature verification failure');
}
