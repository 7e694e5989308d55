// The documentation, which the node has in itself: of the version that runs.
import { html, useEffect, useMemo } from '../lib.js';
import { draw } from '../markdown.js';
import { useAnswer } from '../parts/act.js';
import { usePlace, useTitle } from '../router.js';

const text = async (name, signal) => {
  const answer = await fetch(`/docs/${name}`, { signal });
  if (!answer.ok) throw new Error('there is no such page');
  return answer.text();
};

/** Where a link of a page leads: to another page, a picture, elsewhere; nowhere, if that is a file of the sources. */
export function lead(from, to, picture = false) {
  if (/^https?:/.test(to) || to.startsWith('#')) return to;
  const { pathname, hash } = new URL(to, `http://docs/docs/${from}`);
  if (!pathname.startsWith('/docs/')) return null;
  return picture ? pathname : pathname.replace(/\.md$/, '') + hash;
}

export function Docs({ name }) {
  const { hash } = usePlace();
  const pages = useAnswer(async (signal) => JSON.parse(await text('index.json', signal)), []);
  const shown = name ?? pages.value?.[0]?.name;
  const page = useAnswer((signal) => (shown ? text(`${shown}.md`, signal) : null), [shown]);
  const title = pages.value?.find((one) => one.name === shown)?.title;
  useTitle(title ?? 'Docs');
  const drawn = useMemo(() => page.value && draw(page.value, (to, picture) => lead(`${shown}.md`, to, picture)), [page.value]);
  useEffect(() => {
    if (drawn && hash) document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [drawn, hash]);
  return html`
    <div class="docs">
      <nav aria-label="Documentation">
        <ul>${(pages.value ?? []).map((one) => html`<li key=${one.name}><a href=${`/docs/${one.name}`} aria-current=${one.name === shown ? 'page' : null}>${one.title}</a></li>`)}</ul>
      </nav>
      <article class="card">${page.error ? html`<p>There is no page ${name}.</p>` : drawn}</article>
    </div>`;
}
