// The documentation, and that nothing of a network ever becomes markup.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { ROOT } from '../lab.js';
import { row, stage } from '../stage.js';

const here = stage();
const EVIL = '<img src=x onerror="window.evil=1"><script>window.evil=1</script>';

test('every page is drawn, and its links to other pages lead there', async () => {
  const page = await here.open('/docs');
  const nav = page.getByRole('navigation', { name: 'Documentation' });
  await nav.getByRole('link').first().waitFor();
  const names = await nav.getByRole('link').evaluateAll((all) => all.map((one) => new URL(one.href).pathname));
  const files = readdirSync(join(ROOT, 'docs'), { recursive: true }).map(String).filter((file) => file.endsWith('.md'));
  const all = [...files, 'ARCHITECTURE.md', 'CHANGELOG.md', 'packaging/README.md', 'spec/README.md'].map((file) => `/docs/${file.slice(0, -3)}`);
  assert.deepEqual([...names, '/docs/README'].sort(), all.sort());
  for (const name of all) {
    await page.goto(name);
    await page.locator('article h1').first().waitFor();
    const wrong = await page.locator('article').evaluate((article) => {
      const shown = article.cloneNode(true);
      for (const code of shown.querySelectorAll('code')) code.remove();
      return /\]\(|\*\*|^#|```/m.exec(shown.textContent)?.[0] ?? '';
    });
    assert.equal(wrong, '', `${name} has marks that were not drawn`);
    assert.equal(await page.locator('code.of-mermaid').count(), 0, `${name} shows the source of a picture`);
    const links = await page.locator('article a[href^="/docs/"]').evaluateAll((all) => all.map((one) => new URL(one.href).pathname));
    for (const link of links) assert.ok(link === '/docs' || all.includes(link) || (await fetch(here.lab.url + link)).ok, `${name} leads to ${link}, which is not there`);
    const images = await page.locator('article img').evaluateAll((all) => all.map((one) => one.src));
    for (const image of images) assert.equal((await fetch(image)).status, 200, image);
  }
});

test('a link to a heading leads to it', async () => {
  const page = await here.open('/docs/http#events');
  await page.getByRole('heading', { name: 'Events' }).waitFor();
  await page.waitForFunction(() => Math.abs(document.getElementById('events').getBoundingClientRect().top) < 300);
});

test('values, comments, names and messages are text, whatever they hold', async () => {
  await here.lab.device('refuse', 'leaf3', '/system/motd', '--code', 'ABORTED', '--message', EVIL);
  const done = await here.lab.change({ leaf1: { update: { '/system/motd': EVIL, '/interfaces/interface[name=<b>]/description': EVIL } } }, `?comment=${encodeURIComponent(EVIL)}&id=${encodeURIComponent('<i>id</i>')}`);
  const failed = await here.lab.change({ leaf3: { update: { '/system/motd': EVIL } } });
  await here.lab.device('drift', 'leaf1', '/system/motd', JSON.stringify(`${EVIL} drift`));
  const page = await here.open('/');
  await row(page, 'leaf1').locator('.badge', { hasText: 'drifted' }).waitFor();
  for (const [place, ready] of [
    ['/', '.recent .what'],
    ['/transactions', '.log .what'],
    [`/transactions/${done.index}`, '.diff li'],
    [`/transactions/${failed.index}`, '.of-target .note'],
    ['/targets/leaf1', '.tree code'],
    ['/targets/leaf1?side=applied&to_side=device', '.diff li'],
  ]) {
    await page.goto(place);
    await page.locator(ready).first().waitFor();
    await page.getByText('onerror=').first().waitFor();
    assert.equal(await page.locator('img[src="x"]').count(), 0, place);
    assert.equal(await page.locator('main b', { hasText: /^$/ }).count(), 0, place);
    assert.equal(await page.evaluate(() => window.evil), undefined, place);
  }
  await page.goto('/change');
  await page.getByLabel('Change file').fill(`leaf2: {update: {/system/motd: ${JSON.stringify(EVIL)}}}`);
  await page.getByRole('button', { name: 'Dry run', exact: true }).click();
  await page.locator('.diff ins', { hasText: 'onerror=' }).waitFor();
  assert.equal(await page.evaluate(() => window.evil), undefined);
});

test('the browser is told to take no markup from text, and nothing from elsewhere', async () => {
  const page = await here.open('/');
  page.allowed.push(/TrustedHTML|Content Security Policy|trusted/i, /elsewhere/);
  await row(page, 'leaf1').waitFor();
  const refused = await page.evaluate(() => {
    try {
      document.createElement('div').innerHTML = '<b>x</b>';
      return false;
    } catch {
      return true;
    }
  });
  assert.ok(refused);
  assert.ok(await page.evaluate(() => fetch('http://127.0.0.1:1/').then(() => false, () => true)));
});
