/**
 * The page's only script: asks the same address for the parts that change and puts them in place, counts times down,
 * says in the tab how many questions wait, and shows a desktop notification of a new one where the person asked for it.
 * The server has escaped the parts; nothing else is ever written into the page. Without it the page still works by
 * reloading.
 */
export const SCRIPT = `
const lost = document.querySelector('[data-lost]');
const silent = lost.textContent;
const call = document.getElementById('call');
const title = document.title.replace(/^\\(\\d+\\) /, '');
let known = new Set(call.dataset.waiting.split(' '));
let ahead;
function mayAsk() {
  call.hidden = !('Notification' in window) || Notification.permission !== 'default';
}
call.addEventListener('click', () => Notification.requestPermission().then(mayAsk, mayAsk));
mayAsk();
function tell(waiting) {
  document.title = (waiting.length > 0 ? '(' + waiting.length + ') ' : '') + title;
  const news = waiting.filter((id) => !known.has(id));
  known = new Set([...known, ...waiting]);
  if (news.length === 0 || !('Notification' in window) || Notification.permission !== 'granted') return;
  const note = new Notification('Countersign asks you something', { body: 'Open the approval page to answer.', tag: 'countersign' });
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
  place.dataset.stamp = part.stamp;
  place.innerHTML = part.html;
  for (const each of place.querySelectorAll('details')) each.open = open.has(each.id);
  if (focused) document.getElementById(focused)?.focus();
}
async function look() {
  let answered = false;
  try {
    const answer = await fetch(location.pathname + '?live', { cache: 'no-store', credentials: 'same-origin' });
    answered = true;
    if (!answer.ok) throw new Error(String(answer.status));
    const { now, waiting, parts } = await answer.json();
    ahead = now - Date.now();
    lost.hidden = true;
    tell(waiting);
    for (const place of document.querySelectorAll('[data-live]')) {
      const part = parts[place.dataset.live];
      if (part && part.stamp !== place.dataset.stamp) replace(place, part);
    }
    answerable(true);
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
