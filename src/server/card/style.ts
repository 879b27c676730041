/** Styles of the plan card: one column, light and dark, the host's colours if given; nothing is loaded. */
export const STYLE = `
:root { color-scheme: light dark;
  --ground: var(--color-background-primary, light-dark(#fff, #1b1d1a)); --ink: var(--color-text-primary, light-dark(#1d1c19, #eceae3));
  --soft: var(--color-text-secondary, light-dark(#67645c, #a5a298)); --line: var(--color-border-primary, light-dark(#e1ded5, #31342f));
  --quiet: light-dark(#eeece5, #262925); --good: light-dark(#17694a, #3fb583); --good-ground: light-dark(#e4f2ea, #14301f);
  --bad: light-dark(#a3271c, #f2887c); --bad-ground: light-dark(#fbecea, #371b18);
  --warn: light-dark(#7a4d00, #f0c36d); --warn-ground: light-dark(#fdf3dc, #33280f); }
* { box-sizing: border-box; }
html, body { margin: 0; background: transparent; }
body { color: var(--ink); font: .9375rem/1.45 var(--font-sans, system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif); }
main { max-width: 46rem; background: var(--ground); border: 1px solid var(--line); border-radius: .8rem; overflow: hidden; }
header { display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; justify-content: space-between; padding: .8rem 1rem 0; }
header p { color: var(--soft); font-size: .8125rem; }
h1 { font-size: 1.0625rem; line-height: 1.3; margin: .25rem 1rem .8rem; overflow-wrap: anywhere; text-wrap: pretty; }
h2 { font-size: .8125rem; font-weight: 600; margin: 0 0 .15rem; color: var(--soft); }
p, ul, ol { margin: 0; padding: 0; } ul, ol { list-style: none; }
.chip { font-size: .78rem; font-weight: 600; padding: .1rem .55rem; border-radius: 1rem; background: var(--quiet); color: var(--soft); white-space: nowrap; }
.good { background: var(--good-ground); color: var(--good); } .bad { background: var(--bad-ground); color: var(--bad); }
.warn { background: var(--warn-ground); color: var(--warn); }
.money { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); border-top: 1px solid var(--line); }
.money > div { padding: .7rem 1rem; } .money > div + div { box-shadow: -1px -1px 0 var(--line); }
.money li { font-size: 1.1875rem; font-weight: 650; letter-spacing: -.01em; line-height: 1.3; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.money small { display: block; line-height: 1.35; margin-top: .15rem; }
.money small, .soft { color: var(--soft); font-size: .8125rem; font-weight: 400; letter-spacing: 0; }
.money .unit { font-size: .9375rem; font-weight: 500; }
section { border-top: 1px solid var(--line); padding: .7rem 1rem; overflow-wrap: anywhere; }
section.good, section.bad, section.warn { color: var(--ink); } section.good h2 { color: var(--good); } section.bad h2 { color: var(--bad); } section.warn h2 { color: var(--warn); }
section li + li, section p + p { margin-top: .25rem; }
.rows li { display: flex; gap: .8rem; justify-content: space-between; align-items: baseline; }
.rows li > :last-child { flex: none; font-variant-numeric: tabular-nums; }
.meter { height: .4rem; border-radius: .2rem; background: var(--quiet); margin: .35rem 0 .5rem; overflow: hidden; }
.meter > div { height: 100%; background: var(--good); border-radius: inherit; }
button { font: inherit; font-weight: 600; margin-top: .5rem; padding: .5rem .9rem; min-height: 2.75rem; border: 0; border-radius: .6rem; background: var(--ink); color: var(--ground); cursor: pointer; }
button:focus-visible { outline: 3px solid light-dark(#1f5fd0, #8db4ff); outline-offset: 2px; }
code { font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
footer { border-top: 1px solid var(--line); padding: .5rem 1rem .6rem; color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; }
`;
