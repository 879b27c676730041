/** Styles of the page: one column, light and dark, no external fonts or images. */
export const STYLE = `
:root { color-scheme: light dark;
  --ground: #f5f4f0; --card: #fff; --ink: #1d1c19; --soft: #67645c; --line: #e1ded5; --quiet: #eeece5;
  --yes: #17694a; --yes-ink: #fff; --no: #a3271c; --no-ground: #fbecea; --warn: #7a4d00; --warn-ground: #fdf3dc;
  --used: #a9a598; --adds: #17694a; --focus: #1f5fd0; --good-ground: #e4f2ea; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #121311; --card: #1b1d1a; --ink: #eceae3; --soft: #a5a298; --line: #31342f; --quiet: #262925;
  --yes: #3fb583; --yes-ink: #06140d; --no: #f2887c; --no-ground: #371b18; --warn: #f0c36d; --warn-ground: #33280f;
  --used: #6d6f68; --adds: #3fb583; --focus: #8db4ff; --good-ground: #14301f; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .4rem .8rem; z-index: 9; }
header, main { max-width: 46rem; margin: 0 auto; padding: 0 1.1rem; }
header { display: flex; align-items: center; gap: .7rem; padding-top: 1rem; padding-bottom: .2rem; }
header a { color: inherit; text-decoration: none; font-weight: 650; letter-spacing: -.01em; }
header a:hover { text-decoration: underline; }
header form { margin-left: auto; }
main { padding-bottom: 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; letter-spacing: -.02em; margin: 1.1rem 0 .3rem; text-wrap: balance; }
h2 { font-size: .95rem; font-weight: 650; margin: 0 0 .7rem; }
p { margin: .3rem 0; }
a { color: inherit; }
.soft { color: var(--soft); }
.small { font-size: .875rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: 1.05rem 1.15rem; margin: .9rem 0; }
.chip { display: inline-block; font-size: .78rem; font-weight: 600; padding: .1rem .55rem; border-radius: 1rem;
  background: var(--quiet); color: var(--soft); white-space: nowrap; }
.chip.good { background: var(--good-ground); color: var(--yes); }
.chip.bad { background: var(--no-ground); color: var(--no); }
.chip.warn { background: var(--warn-ground); color: var(--warn); }
.notice { border-radius: .7rem; padding: .75rem 1rem; margin: .9rem 0; background: var(--no-ground); color: var(--no); }
.notice p { color: inherit; }
.stand { display: flex; flex-wrap: wrap; column-gap: .6rem; align-items: baseline; font-size: .875rem; }
.stand p { margin: 0; }
.block { display: block; }
.what { margin: .35rem 0 .6rem; } .what p { margin: 0; } .what .line { font-size: .9375rem; line-height: 1.4; } .what strong { font-size: 1.05rem; }
.fact { margin: .5rem 0; font-size: .9375rem; line-height: 1.4; }
.fact h2 { display: inline; font-size: inherit; } .fact h2 + .line { display: inline; }
.line, .card > p { margin: .15rem 0; overflow-wrap: anywhere; }
.fact > .line.plain { display: inline; } .fact > .line.warn + .line.plain { display: block; }
.line.bad { color: var(--no); } .line.warn { color: var(--warn); }
.fact:has(> .line.bad) { background: var(--no-ground); border-radius: .7rem; padding: .5rem .8rem; margin: .5rem 0; }
.fact:has(> .line.bad) h2 { color: var(--no); }
.money .fact { grid-column: 1 / -1; margin: 0; padding: .5rem 1.15rem; border-top: 1px solid var(--line); font-size: .875rem; }
.claimers { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: .7rem 1.15rem; }
.claimers ul { margin-top: .4rem; }
.claimers li { display: grid; grid-template-columns: max-content 1fr; column-gap: .7rem; align-items: baseline; }
.claimers .whole { grid-column: 1 / -1; }
.claimers li + li { margin-top: .35rem; padding-top: .35rem; }
.share { font-variant-numeric: tabular-nums; min-width: 2.6rem; }
.stranger { color: var(--warn); font-weight: 600; }
.many { display: grid; grid-template-columns: repeat(auto-fill, minmax(5.6rem, 1fr)); gap: .1rem .6rem; margin: .2rem 0 .6rem; }
.many li + li, .close + .close { border: 0; margin: 0; padding: 0; }
.back { margin: 1rem 0 -.4rem; font-size: .875rem; } .back a { color: var(--soft); text-decoration: none; } .back a:hover { text-decoration: underline; }
.money { display: grid; grid-template-columns: 1fr 1fr; padding: 0; overflow: hidden; margin: .6rem 0; }
.money > .side { padding: .8rem 1.15rem; } .money .side h2 { margin: 0 0 .2rem; }
.money > .side + .side { border-left: 1px solid var(--line); }
.amount { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; margin: 0; }
.amount .unit { display: inline-block; font-size: .95rem; font-weight: 500; letter-spacing: 0; }
.amount small { display: block; font-size: .8rem; font-weight: 400; letter-spacing: 0; color: var(--soft); }
.code { font: .8rem/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
ul, ol { list-style: none; margin: 0; padding: 0; }
li + li { border-top: 1px solid var(--line); margin-top: .75rem; padding-top: .75rem; }
.row { display: flex; gap: .6rem; justify-content: space-between; align-items: baseline; }
.row > :last-child { flex: none; }
.name { font-weight: 600; overflow-wrap: anywhere; }
.meter { display: block; width: 100%; height: .7rem; border-radius: .35rem; margin: .4rem 0; background: var(--quiet); }
.meter .used { fill: var(--used); } .meter .adds { fill: var(--adds); }
.key { display: inline-block; width: .65rem; height: .65rem; border-radius: .2rem; margin-right: .3rem; background: var(--used); }
.key.adds { background: var(--adds); }
.steps { counter-reset: step; }
.steps li { counter-increment: step; position: relative; padding-left: 2.3rem; }
.steps li::before { content: counter(step); position: absolute; left: 0; width: 1.5rem; height: 1.5rem; border-radius: 50%;
  background: var(--quiet); color: var(--soft); text-align: center; font-size: .8rem; line-height: 1.5rem; font-weight: 600; }
.steps li.done::before { content: "✓"; background: var(--good-ground); color: var(--yes); }
details summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
details[open] summary { margin-bottom: .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; font-size: .875rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
[data-live=actions] { position: sticky; bottom: 0; z-index: 1; }
.bar { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: .9rem 1.1rem; margin-bottom: .9rem;
  box-shadow: 0 -.4rem 1.4rem rgb(0 0 0 / .09); }
.bar > div { display: flex; gap: .7rem; align-items: end; flex-wrap: wrap; }
.bar form { display: flex; gap: .7rem; align-items: end; } .bar form.yes { flex: 1 1 20rem; flex-wrap: wrap; } .bar form:not(.yes) { align-items: center; }
#like { flex: 1 0 100%; } .bar form.yes:has(#like[open]) { flex-basis: 100%; }
.bounds { display: grid; grid-template-columns: 1fr 1fr; gap: .4rem .7rem; margin-top: .4rem; }
label { display: block; font-size: .875rem; color: var(--soft); flex: 1; }
label + p { margin-top: .9rem; }
input[type=password], #like input { width: 100%; font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--soft);
  border-radius: .55rem; padding: .5rem .7rem; margin-top: .2rem; }
button { font: inherit; font-weight: 600; border-radius: .55rem; border: 1px solid var(--line); cursor: pointer;
  padding: .55rem 1.2rem; background: var(--card); color: var(--ink); min-height: 2.7rem; }
button:hover { border-color: var(--soft); }
button.primary { background: var(--yes); border-color: var(--yes); color: var(--yes-ink); }
button.unverified { padding: .55rem .4rem; background: var(--warn-ground); border-color: var(--warn); color: var(--warn); }
button.primary:hover { filter: brightness(1.08); }
form.yes button { flex: 1 0 auto; } form.yes label + button { flex: 0 0 auto; } label { flex: 1 1 12rem; }
form > label { max-width: 26rem; } .bar label { max-width: none; }
button.danger { color: var(--no); }
button.slim { padding: .3rem .8rem; min-height: 2.2rem; font-size: .875rem; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.ask { display: block; text-decoration: none; } .ask:hover { border-color: var(--soft); }
.ask p:last-child { margin-bottom: 0; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
[hidden] { display: none; }
@media (max-width: 34rem) {
  .money { grid-template-columns: 1fr; } .money > .side + .side { border-left: 0; border-top: 1px solid var(--line); }
  .money > .side { display: grid; grid-template-columns: 3.6rem 1fr; gap: .5rem; align-items: baseline; }
  .amount small { display: inline; }
  header { padding-top: .6rem; } .back { display: none; } .chip { font-size: .72rem; padding: 0 .45rem; } h1 { font-size: 1.35rem; margin-top: .6rem; } .amount { font-size: 1.1rem; }
  .stand, .what .small { font-size: .8125rem; } .what { line-height: 1.35; margin: .2rem 0 .3rem; } .what strong { font-size: 1rem; } .what .line { font-size: .875rem; }
  .amount .unit { font-size: .8125rem; } .amount .chip { font-size: .65rem; vertical-align: .1em; } .what .code, .claimers .code { font-size: .72rem; }
  .money > .side, .money .fact, .claimers { padding: .45rem .8rem; } .money .fact { font-size: .8125rem; } .fact { font-size: .8125rem; line-height: 1.3; margin: .25rem 0; }
  .bar { margin: 0 -1.1rem; border-radius: .8rem .8rem 0 0; border-width: 1px 0 0; } main { padding-bottom: 0; }
  .bar > div { gap: .6rem; } .bar form.yes { flex: 1 1 100%; } .bar form { flex: 0 1 auto; align-items: center; } .bar form button { flex: 1 0 auto; }
  .bar form.yes:not(:has(label)) { flex: 1 1 auto; } .bar form:not(.yes) button { padding: .55rem .8rem; } .bar summary { white-space: nowrap; } .bar { padding: .7rem 1.1rem; }
  header { gap: .4rem; flex-wrap: nowrap; } header button.slim { font-size: .78rem; padding: .15rem .55rem; min-height: 2rem; }
  body:has(.bar) nav { display: none; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
}
@media (prefers-reduced-motion: no-preference) { .chip.busy { animation: busy 1.6s ease-in-out infinite; } @keyframes busy { 50% { opacity: .45; } } }
`;
