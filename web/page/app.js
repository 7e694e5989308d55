// The frame around every view: where one is, who one is, whether the node is there; and which view it is.
import { cls, html, useEffect, useErrorBoundary, useState } from './lib.js';
import { Help, useKeys } from './keys.js';
import { link, meet, retry, start, stop, summary } from './live.js';
import { Icon } from './parts/icon.js';
import { Notices, useTicking } from './parts/notice.js';
import { decoded, usePlace } from './router.js';
import { isSignedIn, me, signOut } from './session.js';
import { useStore } from './store.js';
import { next, theme } from './theme.js';
import { Change } from './views/change.js';
import { Docs } from './views/docs.js';
import { Login } from './views/login.js';
import { Overview } from './views/overview.js';
import { Target } from './views/target.js';
import { Timeline } from './views/timeline.js';
import { Transaction } from './views/transaction.js';
import { clock } from './words.js';

const VIEWS = [
  [/^\/$/, Overview],
  [/^\/transactions$/, Timeline],
  [/^\/transactions\/(?<index>\d+)$/, Transaction],
  [/^\/targets$/, Overview],
  [/^\/targets\/(?<name>[^/]+)$/, Target],
  [/^\/change$/, Change],
  [/^\/login$/, Overview],
];
/** Open to everybody, like the files they are. */
const DOCS = /^\/docs(?:\/(?<name>.+))?$/;

const PLACES = [
  ['/', 'Network', /^\/($|targets)/],
  ['/transactions', 'Transactions', /^\/transactions/],
  ['/change', 'Change', /^\/change/],
  ['/docs', 'Docs', /^\/docs/],
];

export function App() {
  const who = useStore(me);
  const { path } = usePlace();
  const [help, showHelp] = useState(false);
  useKeys(() => showHelp(true));
  useEffect(() => {
    if (who === undefined) meet();
  }, [who]);
  useEffect(() => {
    if (!who) return undefined;
    start();
    return stop;
  }, [who]);
  return html`
    <a class="skip" href="#main">Skip to the content</a>
    <${Top} who=${who} path=${path} help=${() => showHelp(true)} />
    ${who !== null && html`<${Lost} />`}
    <main id="main" tabindex="-1">
      <${Shown} who=${who} path=${path} />
    </main>
    <${Notices} />
    ${help && html`<${Help} close=${() => showHelp(false)} />`}`;
}

function Shown({ who, path }) {
  const docs = DOCS.exec(path);
  if (docs) return html`<${Safe} key="docs"><${Docs} name=${docs.groups.name} /><//>`;
  if (who === null) return html`<${Login} />`;
  if (!who) return html`<p class="muted wait">One moment…</p>`;
  for (const [pattern, View] of VIEWS) {
    const found = pattern.exec(path);
    const given = Object.entries(found?.groups ?? {}).map(([name, text]) => [name, decoded(text)]);
    if (found && given.every(([, text]) => text !== null)) return html`<${Safe} key=${path}><${View} ...${Object.fromEntries(given)} /><//>`;
  }
  return html`<section class="empty"><h1>There is nothing here</h1><p><a href="/">Back to the network</a></p></section>`;
}

/** A view that breaks says so, and leaves the frame around it as it is. */
function Safe({ children }) {
  const [broken] = useErrorBoundary((error) => console.error(error));
  if (!broken) return children;
  return html`<section class="empty"><h1>This view broke</h1><p>${String(broken.message)}</p><p><a href="/">Back to the network</a></p></section>`;
}

const LINKS = {
  joining: 'The node is asked how everything stands.',
  live: 'What is shown is as it is now.',
  lost: 'The node does not answer.',
  refused: 'The node does not say how everything stands.',
};
const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' };

function Top({ who, path, help }) {
  const chosen = useStore(theme);
  const numbers = useStore(summary);
  const { is } = useStore(link);
  return html`
    <header class="top">
      <a class="mark" href="/"><img src=${new URL('./icon.svg', import.meta.url)} alt="" width="22" height="22" />Lockstep</a>
      <nav aria-label="Views">
        ${PLACES.map(([href, name, pattern]) => html`<a key=${href} href=${href} aria-current=${pattern.test(path) ? 'page' : null}>${name}</a>`)}
      </nav>
      <div class="side">
        ${who && html`
          <span class=${cls('link', `is-${is}`)} title=${LINKS[is]}>
            <i aria-hidden="true"></i><span>${is}</span>
            ${numbers && html`<span class="muted wide">${numbers.node}</span>`}
          </span>`}
        ${who && html`
          <span class="who" title=${`may: ${who.rights.join(', ') || 'nothing'}`}>
            <${Icon} name="user" />${who.name ?? 'anybody'}
            ${isSignedIn() && html`<button class="plain" onClick=${signOut}>Sign out</button>`}
          </span>`}
        <button class="plain" onClick=${next} title=${`Theme: ${chosen}`} aria-label=${`Theme: ${chosen}; change it`}><${Icon} name=${THEME_ICONS[chosen]} /></button>
        <button class="plain help" onClick=${help} title="Keys (?)" aria-label="Keys">?</button>
      </div>
    </header>`;
}

function Lost() {
  const state = useStore(link);
  useTicking(state.is === 'lost');
  const again = html`<button onClick=${retry}>Try now</button>`;
  if (state.is === 'refused') {
    return html`<div class="lost" role="alert"><p><${Icon} name="part" /> <strong>${LINKS.refused}</strong> ${state.error.message}</p>${again}</div>`;
  }
  if (state.is !== 'lost') return null;
  const wait = Math.max(0, Math.ceil((state.next - Date.now()) / 1000));
  return html`
    <div class="lost" role="alert">
      <p><${Icon} name="part" /> <strong>${LINKS.lost}</strong> ${state.since && `What you see is as of ${clock(state.since)}. `}Next try ${wait ? `in ${wait} s` : 'now'}.</p>
      ${again}
    </div>`;
}
