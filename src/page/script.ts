/**
 * The page's only script: asks the same address for the parts that change and puts them in place, and counts times
 * down. The server has escaped the parts; nothing else is ever written into the page. Without it the page still
 * works by reloading.
 */
export const SCRIPT = `
const lost = document.querySelector('[data-lost]');
const silent = lost.textContent;
let ahead;
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
    const { now, parts } = await answer.json();
    ahead = now - Date.now();
    lost.hidden = true;
    for (const place of document.querySelectorAll('[data-live]')) {
      const part = parts[place.dataset.live];
      if (part && part.stamp !== place.dataset.stamp) replace(place, part);
    }
    for (const each of document.querySelectorAll('[data-until]'))
      each.textContent = left(Number(each.dataset.until) - Date.now() - ahead);
  } catch {
    lost.textContent = answered ? 'This page cannot be kept up to date any more. Reload it, or open it again.' : silent;
    lost.hidden = false;
  }
  setTimeout(look, document.hidden ? 5000 : 1000);
}
setTimeout(look, 1000);
`;
