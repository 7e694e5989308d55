// With the keyboard alone, and for whoever has the page read out.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dialog, motd, row, stage } from '../stage.js';

const here = stage();
const focused = (page) => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.getAttribute('aria-label') || document.activeElement.placeholder);

test('the first thing that can be reached skips to the content, and focus is seen', async () => {
  const page = await here.open('/');
  await row(page, 'leaf1').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to the content');
  assert.ok((await page.locator('.skip').boundingBox()).y >= 0);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.match(await focused(page), /synchronised/);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, 'none');
});

test('everything that can be pressed is reached with Tab, in order', async () => {
  const page = await here.open('/');
  await row(page, 'spine1').waitFor();
  const seen = [];
  for (let at = 0; at < 40 && !seen.includes('spine1'); at += 1) {
    await page.keyboard.press('Tab');
    seen.push(await focused(page));
  }
  const order = ['Lockstep', 'Network', 'Transactions', 'Change', 'Docs', 'Keys', 'Name, address, reason', 'leaf1', 'leaf2', 'leaf3', 'spine1'];
  const places = order.map((name) => seen.findIndex((one) => one === name || (name === 'Keys' && one === '?')));
  assert.ok(places.every((place, at) => place >= 0 && (at === 0 || place > places[at - 1])), JSON.stringify({ seen, places }));
});

test('keys lead from view to view, and from row to row', async () => {
  await here.lab.change({ leaf1: motd('a') });
  await here.lab.change({ leaf1: motd('b') });
  const page = await here.open('/');
  await row(page, 'leaf1').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await row(page, '#2').waitFor();
  await page.keyboard.press('j');
  assert.equal(await focused(page), '#2');
  await page.keyboard.press('j');
  assert.equal(await focused(page), '#1');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '#2' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await row(page, 'leaf1').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('spine?');
  assert.equal(await page.locator('[data-filter]').inputValue(), 'spine?', 'what is written in a field is no key');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await dialog(page).getByText('The documentation').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
});

test('a dialog keeps the focus in it', async () => {
  const page = await here.open('/targets/leaf1');
  await page.getByRole('button', { name: 'Sync…' }).press('Enter');
  await dialog(page).waitFor();
  for (let at = 0; at < 8; at += 1) {
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => document.activeElement === document.body || document.querySelector('dialog').contains(document.activeElement)));
  }
});

test('what happens is read out', async () => {
  const page = await here.open('/transactions');
  await page.getByRole('heading', { name: 'Transactions' }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  const { index } = await here.lab.change({ leaf2: motd('c') });
  await page.locator('[role=log]', { hasText: `Transaction ${index} applied` }).waitFor({ state: 'attached' });
});

test('everything has a name for those who cannot see it', async () => {
  for (const path of ['/', '/transactions', '/transactions/1', '/targets/leaf1', '/change', '/docs/http']) {
    const page = await here.open(path);
    await page.locator('main a, main button').first().waitFor();
    const nameless = await page.evaluate(() => [...document.querySelectorAll('a[href], button, input, select, textarea')].filter((one) => {
      const label = one.labels?.[0]?.textContent ?? '';
      return !`${one.textContent}${one.getAttribute('aria-label') ?? ''}${one.title}${label}`.trim();
    }).map((one) => one.outerHTML));
    assert.deepEqual(nameless, [], path);
    assert.equal(await page.locator('h1').count(), 1, `${path} has one heading of the first order`);
  }
});
