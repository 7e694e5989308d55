// The log: live, with every phase on every target, and filtered.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { motd, row, stage } from '../stage.js';

const here = stage();

const indexes = (page) => page.locator('.log .lead').allTextContents();

test('a transaction is seen to spread, target by target', async () => {
  const page = await here.open('/transactions');
  await here.lab.change({ leaf1: motd('first') });
  await row(page, '#1').waitFor();
  await here.lab.device('delay', 'leaf2', '2s');
  const under = here.lab.change({ leaf1: motd('a'), leaf2: motd('a') }, '?queued&comment=slowly');
  const line = row(page, '#2');
  await line.locator('.badge', { hasText: 'committed' }).waitFor();
  await line.getByRole('link', { name: 'pending leaf2' }).waitFor();
  await line.getByRole('link', { name: 'applied leaf1' }).waitFor();
  await line.getByText(/waits for/).waitFor();
  await under;
  await line.getByRole('link', { name: 'applied leaf2' }).waitFor();
  await line.locator('.badge', { hasText: 'applied' }).waitFor();
  await here.lab.device('heal', 'leaf2');
});

test('what is on trial is told from what nothing has reached', async () => {
  const page = await here.open('/transactions');
  await here.lab.device('delay', 'leaf2', '2s');
  const under = here.lab.change({ leaf1: motd('tried'), leaf2: motd('tried') });
  await page.getByRole('link', { name: 'accepted leaf1' }).waitFor();
  await page.getByRole('link', { name: 'pending leaf2' }).waitFor();
  await page.getByTitle('2 targets: 1 accepted, 1 pending').waitFor();
  const { index } = await under;
  await row(page, `#${index}`).getByTitle('2 targets: 2 applied').waitFor();
  await here.lab.device('heal', 'leaf2');
});

test('why one failed stands in its row', async () => {
  const page = await here.open('/transactions');
  await here.lab.device('refuse', 'leaf3', '/system/motd', '--code', 'ABORTED', '--message', 'not today');
  const { index } = await here.lab.change({ leaf1: motd('b'), leaf3: motd('b') });
  const line = row(page, `#${index}`);
  await line.locator('.badge', { hasText: 'reverted' }).waitFor();
  await line.getByRole('link', { name: 'refused leaf3' }).waitFor();
  await line.getByRole('link', { name: 'undone leaf1' }).waitFor();
  await line.getByText('target leaf3 refused it: ABORTED: not today').waitFor();
  await here.lab.device('heal', 'leaf3');
});

test('the log is filtered, by what is in the address, and stays live', async () => {
  const { index } = await here.lab.change({ spine1: motd('c') }, '?comment=a%20needle');
  const page = await here.open('/transactions?target=spine1');
  await row(page, `#${index}`).waitFor();
  assert.deepEqual(await indexes(page), [`#${index}`]);
  await here.lab.change({ leaf1: motd('d') });
  const next = await here.lab.change({ spine1: motd('d') });
  await row(page, `#${next.index}`).waitFor();
  assert.deepEqual(await indexes(page), [`#${next.index}`, `#${index}`]);

  await page.goto('/transactions');
  await row(page, `#${next.index}`).waitFor();
  await page.getByLabel('In the comment').fill('needle');
  await row(page, `#${next.index}`).waitFor({ state: 'detached' });
  await row(page, `#${index}`).waitFor();
  assert.deepEqual(await indexes(page), [`#${index}`]);
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await row(page, `#${next.index}`).waitFor();
  await page.getByLabel('Status').selectOption('reverted');
  await row(page, `#${next.index}`).waitFor({ state: 'detached' });
  await page.locator('.log .badge', { hasText: 'reverted' }).waitFor();
  assert.equal((await indexes(page)).length, 1);
  await page.getByLabel('Kind').selectOption('adopt');
  await page.getByText('No transaction is like that').waitFor();
});

test('a filter that makes no sense is refused with the reason', async () => {
  const page = await here.open('/transactions?kind=nonsense');
  page.allowed.push(/400/);
  await page.getByText('Not understood').waitFor();
});
