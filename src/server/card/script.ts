/**
 * The script of the plan card: communicates with its host, renders a plan from the structured result of a call, and
 * follows it with `get_plan`. All text is set as text nodes. It requests nothing else of the host, except to open the
 * owner's page when the person clicks.
 */
export const SCRIPT = String.raw`
const main = document.querySelector('main');
// Bidirectional control characters: a name could use them to reorder the text beside it.
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
let asked = 0;
const waiting = new Map();
let host = {};
let context = {};
let shown;
let timer;
let pause = 3000;
let until = 0;
const post = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
function request(method, params) {
  const id = ++asked;
  post({ id, method, params });
  return new Promise((done, failed) => waiting.set(id, { done, failed }));
}
function el(name, look, ...parts) {
  const made = document.createElement(name);
  if (look) made.className = look;
  made.append(...parts.flat(Infinity).map((part) => (typeof part === 'string' ? part.replace(DIRECTIONS, '') : part)).filter((part) => part !== undefined && part !== null && part !== false && part !== ''));
  return made;
}
const list = (value) => (Array.isArray(value) ? value : []);
const short = (address) => (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address) ? address.slice(0, 4) + '…' + address.slice(-4) : String(address));
function named(address, look) {
  const made = el('span', look, short(address));
  made.title = String(address);
  return made;
}
function amount({ asset, symbol, amount, raw }, sign) {
  const whole = amount === undefined ? String(raw) : String(amount);
  const figure = sign ? whole.replace(/^[-+]/, '') : whole;
  const unit = asset === 'SOL' ? ['SOL'] : [symbol !== undefined && el('bdi', '', '“' + symbol + '”'), ' ', named(asset, 'soft')];
  const grouped = figure.replace(/^\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));
  return el('li', '', grouped, amount === undefined && ' base units of', ' ', el('span', 'unit', unit));
}
function side(title, rows, note) {
  return el('div', '', el('h2', '', title), el('ul', '', rows), note && el('small', '', note));
}
function section(look, title, ...parts) {
  return el('section', look, title && el('h2', '', title), parts);
}
const time = (iso) => {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? String(iso) : at.toLocaleString(context.locale || undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: context.timeZone || undefined });
};
function money({ expected, changes, cost }) {
  const moved = list(changes);
  if (moved.length > 0) {
    const of = (isOut) => moved.filter((each) => String(each.raw ?? each.amount).startsWith('-') === isOut).map((each) => amount(each, true));
    const made = cost && cost.newAccounts && cost.newAccounts + ' SOL of it is in new accounts';
    const fee = cost && 'network fee ' + cost.networkFee + ' SOL';
    return el('div', 'money', side('Left the wallet', of(true), [made, fee].filter(Boolean).join('; ')), of(false).length > 0 && side('Arrived', of(false)));
  }
  if (!expected) return undefined;
  const leaves = list(expected.leavesAtMost).map((each) => amount(each));
  const arrives = list(expected.arrivesAtLeast).map((each) => amount(each));
  const back = expected.returns && expected.returns + ' SOL of it comes back when its accounts are closed';
  const sides = [leaves.length > 0 && side('Leaves at most', leaves, back), arrives.length > 0 && side('Arrives at least', arrives)].filter(Boolean);
  return sides.length > 0 && el('div', 'money', sides);
}
function claimers({ claimers }) {
  if (!claimers || !claimers.after) return undefined;
  const rows = ({ largest, rest, count }) => [
    ...list(largest).map(({ wallet, share }) => el('li', '', named(wallet), el('span', '', share))),
    ...(rest === undefined ? [] : [el('li', '', el('span', '', count - list(largest).length + ' more'), el('span', '', rest))]),
  ];
  return section('', 'Who earns', el('ul', 'rows', rows(claimers.after)), claimers.before && el('p', 'soft', 'Before: ' + list(claimers.before.largest).map(({ wallet, share }) => short(wallet) + ' ' + share).join(', ')));
}
function progress({ stages, attempts }) {
  const all = list(stages);
  const landed = all.filter(({ status }) => status === 'confirmed' || status === 'finalized').length;
  if (all.length === 0) return undefined;
  const filled = el('div', '');
  filled.style.width = (100 * landed) / all.length + '%';
  const rows = all.map(({ kind, status, signature }) => {
    const [words, look] = WORDS.stages[status] ?? [status, ''];
    const row = el('li', '', el('span', '', String(kind).replaceAll('_', ' ')), el('span', 'chip ' + look, words));
    if (signature) row.title = signature;
    return row;
  });
  const told = landed + ' of ' + all.length + (all.length === 1 ? ' transaction landed' : ' transactions landed');
  const tries = attempts && 'Signed ' + attempts.signed + (attempts.signed === 1 ? ' time' : ' times') + ' since ' + time(attempts.since) + '.';
  return section('', told, el('div', 'meter', filled), el('ul', 'rows', rows), tries && el('p', 'soft', tries));
}
function approval({ approval }) {
  if (!approval) return undefined;
  if (approval.where === undefined) return approval.reason && section('bad', 'The owner denied it', el('p', '', '“' + approval.reason + '”'));
  const where = String(approval.where);
  const [url] = /\bhttps?:\/\/[^\s,()"<>]+/.exec(where) ?? [];
  const open = url !== undefined && host.openLinks && el('button', '', 'Open the approval page');
  if (open) {
    open.type = 'button';
    open.addEventListener('click', () => request('ui/open-link', { url }).catch(() => open.remove()));
  }
  return section('warn', 'The owner can answer until ' + time(approval.expiresAt), el('p', '', 'On ' + where + ', never in this card.'), open);
}
function refusal({ status, decision, lacks }) {
  const parts = [];
  const denied = status !== 'denied_by_owner' && decision && decision.effect === 'deny' && decision.explain;
  if (denied) parts.push(el('p', '', decision.explain), decision.remedy && el('p', 'soft', decision.remedy));
  for (const { needs, has } of list(lacks)) parts.push(el('p', '', 'Needs ', amount(needs).childNodes.length > 0 && [...amount(needs).childNodes], '; the wallet has ', [...amount(has).childNodes], '.'));
  return parts.length > 0 && section('bad', status === 'ready' ? 'It would fail now' : 'Refused', parts);
}
function title(asked) {
  const words = String(asked).replace(/[1-9A-HJ-NP-Za-km-z]{32,44}/g, short);
  const made = el('h1', '', words.charAt(0).toUpperCase() + words.slice(1));
  made.title = String(asked);
  return made;
}
function claimRow({ asked, status, arrives }) {
  const brings = list(arrives).map((each) => amount(each).textContent).join(', ');
  return el('li', '', el('span', '', asked), el('span', 'soft', brings || String(status).replaceAll('_', ' ')));
}
function drawPlan(plan, person) {
  const says = list(plan.says).map((each) => el('li', '', each));
  const claims = list(plan.claims).map(claimRow);
  return [
    title(plan.asked ?? plan.operation),
    money(plan),
    refusal(plan),
    says.length > 0 && section('', 'What to know', el('ul', '', says)),
    claims.length > 0 && section('', 'Claims', el('ul', 'rows', claims)),
    claimers(plan),
    approval(plan),
    progress(plan),
    plan.approval === undefined && plan.status !== 'complete' && person && section('', 'What comes next', el('p', '', person)),
    el('footer', '', plan.planId),
  ];
}
function draw({ plan, mode, note, message, hint, code }) {
  const none = code ? ['Not done', 'bad'] : ['Nothing to sign', ''];
  const [words, look, person] = plan ? (WORDS.plans[plan.status] ?? [String(plan.status), '']) : none;
  const name = mode === 'sandbox' ? 'Countersign · play money' : 'Countersign';
  const body = plan ? drawPlan(plan, person) : [title(message ?? note ?? 'Nothing needs to be signed.'), hint && section('', '', el('p', '', hint))];
  const header = el('header', '', el('p', '', name), el('span', 'chip ' + look, words));
  main.replaceChildren(...[header, ...body].filter(Boolean));
}
function follow(result) {
  const data = result && result.structuredContent;
  if (!data || typeof data !== 'object') return;
  shown = data;
  draw(data);
  clearTimeout(timer);
  if (!data.plan || WORDS.over.includes(data.plan.status) || !host.serverTools || Date.now() > until) return;
  timer = setTimeout(again, pause);
  pause = Math.min(pause * 1.5, 30000);
}
function again() {
  const { plan } = shown;
  request('tools/call', { name: 'get_plan', arguments: { planId: plan.planId } }).then(
    (result) => (result.isError ? undefined : (result.structuredContent && result.structuredContent.plan && result.structuredContent.plan.status !== plan.status && (pause = 3000), follow(result))),
    () => undefined,
  );
}
function dress(more) {
  context = { ...context, ...more };
  if (context.theme === 'light' || context.theme === 'dark') document.documentElement.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries((more.styles && more.styles.variables) || {})) if (WORDS.variables.includes(name)) document.documentElement.style.setProperty(name, value);
}
window.addEventListener('message', ({ source, data }) => {
  if (source !== window.parent || !data || data.jsonrpc !== '2.0') return;
  const { id, method, params = {}, result, error } = data;
  if (method === undefined) {
    const { done, failed } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (done) error ? failed(new Error('refused')) : done(result);
  } else if (method === 'ui/notifications/tool-result') {
    pause = 3000;
    until = Date.now() + 1800000;
    follow(params);
  } else if (method === 'ui/notifications/tool-cancelled') {
    draw({ note: 'The call was cancelled. Signed transactions are still followed: see get_plan.' });
  } else if (method === 'ui/notifications/host-context-changed') {
    dress(params);
    if (shown) draw(shown);
  } else if (method === 'ui/resource-teardown' || method === 'ping') {
    if (method !== 'ping') clearTimeout(timer);
    post({ id, result: {} });
  }
});
new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  post({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } });
}).observe(document.documentElement);
request('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'countersign-plan', version: '1' }, appCapabilities: { availableDisplayModes: ['inline'] } }).then((answer) => {
  host = answer.hostCapabilities ?? {};
  dress(answer.hostContext ?? {});
  post({ method: 'ui/notifications/initialized', params: {} });
}, () => undefined);
`;
