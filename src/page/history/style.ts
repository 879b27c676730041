/** Styles of history, limits and navigation; colours are those of the page. */
export const PAST_STYLE = `
nav.places { display: flex; gap: .2rem; margin-left: .3rem; font-size: .9rem; flex-wrap: wrap; }
header nav.places a { font-weight: 500; color: var(--soft); padding: .2rem .55rem; border-radius: .5rem; letter-spacing: 0; }
header nav.places a[aria-current] { color: var(--ink); background: var(--quiet); }
.search { display: grid; grid-template-columns: minmax(10rem, 1fr) 9.2rem 9.6rem auto; gap: .7rem; align-items: end; margin: .9rem 0; }
.search label { max-width: none; }
input[type=search], select { width: 100%; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line);
  border-radius: .55rem; padding: .5rem .7rem; margin-top: .2rem; min-height: 2.7rem; }
.sums .chip { margin: 0 .1rem .2rem 0; }
.money-list { display: block; margin: .5rem 0 0; font-variant-numeric: tabular-nums; }
.money-list > div { display: flex; gap: 1rem; justify-content: space-between; align-items: baseline; padding: .12rem 0; }
.money-list dt { overflow-wrap: anywhere; } .money-list dd { flex: none; max-width: 60%; text-align: right; margin: 0; font-weight: 600; }
.money-list .soft dd { font-weight: 400; } .money-list .plus { color: var(--yes); }
.asked, .why { overflow-wrap: anywhere; } .why { font-size: .9rem; } .why.bad { color: var(--no); } .why.warn { color: var(--warn); }
.meta { display: flex; flex-wrap: wrap; gap: .15rem .9rem; margin-top: .45rem; align-items: baseline; }
.meta a { text-decoration: none; } .meta a:hover { text-decoration: underline; }
.pages { display: flex; gap: 1rem; justify-content: center; align-items: baseline; margin: 1.2rem 0; }
.figures { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: .2rem 0 .7rem; }
.figures dt { font-size: .85rem; } .figures dd { font-size: 1.1rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.meter .full { fill: var(--no); }
.group > .ask { margin: .6rem 0 0; background: var(--ground); }
@media (max-width: 34rem) {
  header { flex-wrap: wrap; } nav.places { order: 9; flex-basis: 100%; margin: 0 0 0 -.55rem; }
  .search { grid-template-columns: 1fr 1fr; } .search label:first-child, .search button { grid-column: 1 / -1; }
  .money-list { display: block; } .money-list dd { margin: 0; max-width: 65%; }
  .figures { gap: .4rem 1.4rem; } .figures dd { margin: 0; }
}
`;
