/** Styles of history, charts and navigation; colours are those of the page. */
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
.key.in { background: var(--adds); } .key.out { background: var(--out); } .key.fee { background: var(--fee); }
.chart { margin: .8rem 0 0; --plot: 8.5rem; }
.plot { display: grid; grid-template-columns: max-content 1fr; grid-template-rows: var(--plot) auto; gap: .3rem .6rem; }
.plot svg { width: 100%; height: var(--plot); display: block; overflow: visible; background: linear-gradient(var(--line), var(--line)) bottom / 100% 1px no-repeat; }
.axis { display: flex; flex-direction: column; justify-content: space-between; text-align: right; line-height: 1; }
.axis, .along { font-size: .75rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.along { grid-column: 2; display: flex; justify-content: space-between; }
.chart .in { fill: var(--adds); } .chart .out { fill: var(--out); } .chart .fee { fill: var(--fee); }
.chart .hit { fill: transparent; } .chart g:hover .hit { fill: var(--quiet); }
.chart .area { fill: var(--adds); opacity: .18; } .chart .edge { fill: none; stroke: var(--adds); stroke-width: 2; vector-effect: non-scaling-stroke; }
.chart .zero { stroke: var(--soft); stroke-width: 1; vector-effect: non-scaling-stroke; }
.chart .max { stroke: var(--no); stroke-width: 1.5; stroke-dasharray: 5 4; vector-effect: non-scaling-stroke; }
.meter .full { fill: var(--no); }
.chart details { margin-top: .6rem; } .scroll { overflow-x: auto; max-height: 22rem; overflow-y: auto; }
table { border-collapse: collapse; font-size: .85rem; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); font-weight: 400; white-space: nowrap; }
th:first-child { text-align: left; } thead th { color: var(--soft); position: sticky; top: 0; background: var(--card); }
.group > .ask { margin: .6rem 0 0; background: var(--ground); }
:root { --out: #b5643c; --fee: #e0a988; }
@media (prefers-color-scheme: dark) { :root { --out: #dd8b5f; --fee: #8a5a42; } }
@media (max-width: 34rem) {
  header { flex-wrap: wrap; } nav.places { order: 9; flex-basis: 100%; margin: 0 0 0 -.55rem; }
  .search { grid-template-columns: 1fr 1fr; } .search label:first-child, .search button { grid-column: 1 / -1; }
  .money-list { display: block; } .money-list dd { margin: 0; max-width: 65%; } .chart { --plot: 7rem; }
  .figures { gap: .4rem 1.4rem; } .figures dd { margin: 0; }
}
`;
