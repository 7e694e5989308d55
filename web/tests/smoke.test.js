// The page of a real node in a real browser: it is there, says nothing wrong, asks nobody else, and is live.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, view } from './browser.js';
import { Lab } from './lab.js';

let lab;
let browser;

before(async () => {
  [lab, browser] = await Promise.all([Lab.start(), launch()]);
});

after(async () => {
  await browser?.close();
  await lab?.stop();
});

test('the network is shown, and a change that is submitted elsewhere appears by itself', async () => {
  const page = await view(browser, lab.url);
  await page.goto('/');
  await page.getByRole('link', { name: 'leaf2', exact: true }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  assert.equal(await page.locator('.targets .badge', { hasText: 'synchronised' }).count(), lab.names.length);

  await page.getByRole('link', { name: 'Transactions', exact: true }).click();
  await page.getByRole('heading', { name: 'Transactions' }).waitFor();
  const done = await lab.change({ leaf1: { update: { '/system/motd': 'hello' } }, leaf2: { update: { '/system/motd': 'hello' } } }, '?comment=a%20banner');
  const row = page.locator('.log .row', { has: page.getByRole('link', { name: `#${done.index}`, exact: true }) });
  await row.getByText('a banner').waitFor();
  await row.locator('.badge', { hasText: 'applied' }).waitFor();
  await row.getByRole('link', { name: 'applied leaf1' }).waitFor();

  await page.goBack();
  await page.getByRole('heading', { name: 'Latest transactions' }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('what is served says how it may be used', async () => {
  const answer = await fetch(lab.url);
  assert.match(answer.headers.get('content-security-policy'), /default-src 'none'/);
  const again = await fetch(lab.url, { headers: { 'if-none-match': answer.headers.get('etag') } });
  assert.equal(again.status, 304);
});
