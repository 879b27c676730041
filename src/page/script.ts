/**
 * The page's only script: fetches the page again and replaces changed parts, counts down times, shows the number of
 * open questions in the tab, and shows desktop notifications of new ones if enabled. The server has escaped the
 * parts; nothing else is written into the page. Without the script the page works by reloading.
 */
export const SCRIPT = `
const lost = document.querySelector('[data-lost]');
const silent = lost.textContent;
const call = document.getElementById('call');
const title = document.title.replace(/^\\(\\d+\\) /, '');
const known = new Set(call.dataset.waiting.split(' '));
const places = [...document.querySelectorAll('[data-live]')];
// Text of each part when fetched, since the person opens and fills in fields there. Countdowns are left out: a part
// replaced every second would lose clicks.
const held = new Map(places.map((place) => [place, textOf(place)]));
let ahead = 0;
function textOf(place) {
  return place.innerHTML.replace(/(<span data-until="\\d+")[^<]*/g, '$1');
}
function mayAsk() {
  call.hidden = !('Notification' in window) || Notification.permission !== 'default';
}
call.addEventListener('click', () => Notification.requestPermission().then(mayAsk, mayAsk));
mayAsk();
function tell(waiting) {
  document.title = (waiting.length > 0 ? '(' + waiting.length + ') ' : '') + title;
  const news = waiting.filter((id) => !known.has(id));
  for (const id of news) known.add(id);
  if (news.length === 0 || !('Notification' in window) || Notification.permission !== 'granted') return;
  const note = new Notification('Countersign has a question', { body: 'Open the approval page to answer.', tag: 'countersign' });
  note.onclick = () => window.focus();
}
function answerable(yes) {
  for (const each of document.querySelectorAll('main form button')) each.disabled = !yes;
}
function left(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 90) return s + ' s';
  const m = Math.round(s / 60);
  if (m < 90) return m + ' min';
  const h = Math.round(m / 60);
  return h < 48 ? h + ' h' : Math.round(h / 24) + ' days';
}
function replace(place, part) {
  const focused = place.contains(document.activeElement) ? document.activeElement.id : '';
  const open = new Set([...place.querySelectorAll('details[open]')].map((each) => each.id));
  place.innerHTML = part.innerHTML;
  for (const each of place.querySelectorAll('details')) each.open = open.has(each.id);
  if (focused) document.getElementById(focused)?.focus();
}
async function look() {
  let answered = false;
  try {
    const answer = await fetch(location.pathname + '?live', { cache: 'no-store', credentials: 'same-origin' });
    answered = true;
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    lost.hidden = true;
    tell(fresh.getElementById('call').dataset.waiting.split(' ').filter(Boolean));
    for (const place of places) {
      const part = fresh.querySelector('[data-live=' + place.dataset.live + ']');
      if (textOf(part) !== held.get(place)) replace(place, part);
      held.set(place, textOf(part));
    }
    answerable(true);
    const until = fresh.querySelector('[data-now]');
    if (until) ahead = Number(until.dataset.now) - Date.now();
    for (const each of document.querySelectorAll('[data-until]'))
      each.textContent = left(Number(each.dataset.until) - Date.now() - ahead);
  } catch {
    lost.textContent = answered ? 'This page is not open any more. Open it again with "countersign open".' : silent;
    lost.hidden = false;
    answerable(false);
  }
  setTimeout(look, document.hidden ? 5000 : 1000);
}
setTimeout(look, 1000);
`;
