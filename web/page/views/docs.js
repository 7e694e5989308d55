// The documentation, which the node has in itself: of the version that runs.
import { html, useEffect, useMemo, useState } from '../lib.js';
import { Refusal } from '../api.js';
import { draw } from '../markdown.js';
import { useAnswer } from '../parts/act.js';
import { Refused } from '../parts/notice.js';
import { useNarrow } from '../parts/virtual.js';
import { decoded, usePlace, useTitle } from '../router.js';

const text = async (name, signal) => {
  let answer;
  try {
    answer = await fetch(`/docs/${name}`, { signal });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Refusal('UNREACHABLE', 'the node does not answer');
  }
  if (answer.ok) return answer.text();
  throw new Refusal(answer.status === 404 ? 'NOT_FOUND' : 'UNAVAILABLE', `the answer was ${answer.status}`);
};

/** What the node serves beside the documentation, under the names that they have in the sources. */
const BESIDE = ['ARCHITECTURE.md', 'CHANGELOG.md', 'packaging/README.md', 'packaging/alerts.yaml', 'spec/README.md'];

/** Where a link of a page leads: to another page, a picture, elsewhere; nowhere, if that is another file of the sources. */
export function lead(from, to, picture = false) {
  if (/^https?:/.test(to) || to.startsWith('#')) return to;
  const { pathname, hash } = new URL(to, `http://sources/${BESIDE.includes(from) ? from : `docs/${from}`}`);
  const served = BESIDE.includes(pathname.slice(1)) ? `/docs${pathname}` : pathname;
  if (!served.startsWith('/docs/')) return null;
  return picture ? served : served.replace(/\.md$/, '').replace(/^\/docs\/README$/, '/docs') + hash;
}

/** What the table of contents has, by its headings: pages in its order, by the names it gives them. */
export function contents(text, pages) {
  const groups = [{ title: '', pages: [] }];
  const rest = new Map(pages.map((page) => [page.name, page.title]));
  for (const line of text.split('\n')) {
    const heading = /^##\s+(.*)$/.exec(line);
    if (heading) groups.push({ title: heading[1], pages: [] });
    [...line.matchAll(/\[([^\]]+)\]\((?:\.\.\/)?([^)#]+)\.md\)/g)].forEach(([, words, name], at) => {
      // A second one of a line is called by words that only make sense there.
      const title = at ? rest.get(name) : words;
      if (rest.delete(name)) groups.at(-1).pages.push({ name, title: title.replace(/^[a-z](?=[a-z])/, (letter) => letter.toUpperCase()) });
    });
  }
  rest.delete(CONTENTS);
  groups.push({ title: 'More', pages: [...rest].map(([name, title]) => ({ name, title })) });
  return groups.filter((group) => group.pages.length);
}

/** The page that the others are found from. */
const CONTENTS = 'README';

async function read(signal) {
  const [pages, text_] = await Promise.all([text('index.json', signal), text(`${CONTENTS}.md`, signal).catch(() => '')]);
  return contents(text_, JSON.parse(pages));
}

function Contents({ groups, name }) {
  return (groups ?? []).map((group) => html`
    <h2 key=${group.title}>${group.title}</h2>
    <ul key=${`${group.title} pages`}>${group.pages.map((one) => html`<li key=${one.name}><a href=${`/docs/${one.name}`} aria-current=${one.name === name ? 'page' : null}>${one.title}</a></li>`)}</ul>`);
}

export function Docs({ name = CONTENTS }) {
  const { hash } = usePlace();
  const narrow = useNarrow();
  const [tries, retry] = useState(0);
  const groups = useAnswer(read, [], tries);
  const page = useAnswer((signal) => text(`${name}.md`, signal), [name], tries);
  const drawn = useMemo(() => page.value && draw(page.value, (to, picture) => lead(`${name}.md`, to, picture)), [page.value]);
  useTitle(page.value ? /^# (.*)$/m.exec(page.value)?.[1] : 'Docs');
  useEffect(() => {
    if (drawn && hash) document.getElementById(decoded(hash.slice(1)) ?? '')?.scrollIntoView();
  }, [drawn, hash]);
  return html`
    <div class="docs">
      <nav aria-label="Documentation">
        ${narrow ? html`<details key=${name}><summary>Contents</summary><${Contents} groups=${groups.value} name=${name} /></details>` : html`<${Contents} groups=${groups.value} name=${name} />`}
      </nav>
      <article class=${page.busy ? 'card is-busy' : 'card'} key=${name}>${page.error ? html`<${Missing} name=${name} error=${page.error} retry=${() => retry(tries + 1)} />` : drawn}</article>
    </div>`;
}

function Missing({ name, error, retry }) {
  if (error.code === 'NOT_FOUND') return html`<h1>There is no page ${name}</h1><p><a href="/docs">What there is</a></p>`;
  return html`<${Refused} error=${error}><p><button onClick=${retry}>Try now</button></p><//>`;
}
