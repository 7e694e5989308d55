// One transaction: what it did, why it failed, and what can be done about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../lab.js';
import { dialog, motd, stage } from '../stage.js';

const here = stage();

test('who, when, what, and the difference on each target', async () => {
  await here.lab.change({ leaf1: motd('before') });
  const { index, id } = await here.lab.change({ leaf1: motd('after'), leaf2: { update: { '/vlans/vlan[id=7]/name': 'seven' } } }, '?comment=two%20things');
  const page = await here.open(`/transactions/${index}`);
  await page.getByText('two things').waitFor();
  await page.getByText(id).waitFor();
  await page.getByText('Outcome: applied').waitFor();
  const changed = page.locator('.of-target', { hasText: 'leaf1' }).locator('.diff li');
  await changed.waitFor();
  assert.match((await changed.textContent()).replace(/\s+/g, ' '), /~ ?\/system\/motd ?before → ?after/);
  await page.locator('.of-target', { hasText: 'leaf2' }).getByText('/vlans/vlan[id=7]/name').waitFor();
  assert.equal(await page.getByText('nothing of it is left').count(), 0);
  await page.getByRole('link', { name: 'The one before' }).click();
  await page.getByRole('heading', { name: `#${index - 1}` }).waitFor();
  await page.getByRole('link', { name: `The next one, #${index}` }).click();
  await page.getByRole('heading', { name: `#${index}` }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'The next one' }).count(), 0, 'the log ends here');
});

test('why it failed, and where', async () => {
  await here.lab.device('refuse', 'leaf3', '/system/motd', '--code', 'ABORTED', '--message', 'no room');
  const { index } = await here.lab.change({ leaf1: motd('x'), leaf3: motd('x') });
  await here.lab.device('heal', 'leaf3');
  const page = await here.open(`/transactions/${index}`);
  await page.getByText('It failed').waitFor();
  const there = page.locator('.of-target').first();
  assert.match(await there.textContent(), /leaf3.*refused.*ABORTED.*no room/);
  // What is listed below is not there.
  await there.getByText('nothing of it is left here').waitFor();
});

test('what was rejected says why, and is on none of its targets', async () => {
  const { index, status } = await here.lab.change({ leaf1: motd('fine'), leaf2: { update: { '/interfaces/interface[name=eth1]/access-vlan': 42 } } });
  assert.equal(status, 'rejected');
  const page = await here.open(`/transactions/${index}`);
  await page.getByText('Decided against').waitFor();
  await page.locator('.callout', { hasText: 'access-vlan' }).waitFor();
  assert.equal(await page.locator('.of-target .badge', { hasText: 'withdrawn' }).count(), 2);
});

test('a rollback shows what it would do, and does it', async () => {
  const { index } = await here.lab.change({ leaf2: motd('to be rolled back') });
  const page = await here.open(`/transactions/${index}`);
  await page.getByRole('button', { name: 'Roll back…' }).click();
  await dialog(page).getByText('/system/motd').waitFor();
  await dialog(page).getByLabel('Comment').fill('it was a mistake');
  await dialog(page).getByRole('button', { name: 'Roll it back' }).click();
  await page.waitForURL(`**/transactions/${index + 1}`);
  await page.getByText('it was a mistake').waitFor();
  await page.getByText('Outcome: applied').waitFor();
  await page.getByRole('link', { name: `#${index}`, exact: true }).click();
  await page.getByText('Rolled back', { exact: true }).waitFor();
});

test('a rollback that is not possible says why, and cannot be pressed', async () => {
  const { index } = await here.lab.change({ leaf2: motd('one') });
  await here.lab.change({ leaf2: { update: { '/system/hostname': 'two' } } });
  const page = await here.open(`/transactions/${index}`);
  await page.getByRole('button', { name: 'Roll back…' }).click();
  await dialog(page).getByText(/came later on target leaf2/).waitFor();
  assert.ok(await dialog(page).getByRole('button', { name: 'Roll it back' }).isDisabled());
  // By the other rule it is.
  await dialog(page).getByLabel('Nothing came later at its paths').check();
  await dialog(page).getByText('/system/motd').waitFor();
  assert.ok(await dialog(page).getByRole('button', { name: 'Roll it back' }).isEnabled());
});

test('targets are restored to how they stood', async () => {
  const { index } = await here.lab.change({ spine1: motd('then') });
  await here.lab.change({ spine1: motd('now') });
  const page = await here.open(`/transactions/${index}`);
  await page.getByRole('button', { name: 'Restore to here…' }).click();
  await dialog(page).getByText('then').first().waitFor();
  await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('heading', { name: `#${index + 2}` }).waitFor();
  await page.getByText('Outcome: applied').waitFor();
  const { values } = await here.lab.api('GET', '/targets/spine1/configuration');
  assert.equal(values['/']['lab:system'].motd, 'then');
});

test('a restore can be rolled back, and so can what was adopted on top', async () => {
  const { index } = await here.lab.change({ leaf2: motd('first') });
  await here.lab.change({ leaf2: motd('second') });
  const restored = await here.lab.api('POST', `/transactions/${index}/restore?target=leaf2`);
  await here.lab.device('drift', 'leaf2', '/system/motd', '"theirs"');
  const adopted = await here.lab.api('POST', '/targets/leaf2/adopt').then(() => until('it is adopted', async () => {
    const [last] = (await here.lab.api('GET', '/transactions?limit=1')).transactions;
    return last.kind === 'adopt' && last.status === 'applied' && last;
  }));
  for (const { index: of } of [adopted, restored]) {
    const page = await here.open(`/transactions/${of}`);
    await page.getByRole('button', { name: 'Roll back…' }).click();
    await dialog(page).getByRole('button', { name: 'Roll it back' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(`/${of}`));
    await page.getByText('Outcome: applied').waitFor();
  }
  const { values } = await here.lab.api('GET', '/targets/leaf2/configuration');
  assert.equal(values['/']['lab:system'].motd, 'second');
});

test('a change in its window counts down, and is confirmed', async () => {
  const { index } = await here.lab.change({ leaf1: motd('maybe') }, '?confirm=600');
  const page = await here.open(`/transactions/${index}`);
  await page.getByText(/Reverted in/).waitFor();
  const left = await page.getByRole('timer').textContent();
  assert.match(left, /^9 min \d\d s$/);
  await page.waitForFunction((before) => document.querySelector('[role=timer]').textContent !== before, left);
  await page.getByRole('button', { name: 'Confirm…' }).click();
  await dialog(page).getByRole('button', { name: 'Confirm it', exact: true }).click();
  await page.getByText(/Reverted in/).waitFor({ state: 'detached' });
  assert.equal((await here.lab.api('GET', `/transactions/${index}`)).window, 'confirmed');
});

test('a change in its window is cancelled', async () => {
  const { index } = await here.lab.change({ leaf1: motd('maybe not') }, '?confirm=600');
  const page = await here.open('/');
  await page.getByText(/9 min \d\d s/).waitFor();
  await page.getByRole('link', { name: `#${index}`, exact: true }).first().click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await dialog(page).getByRole('button', { name: 'Cancel it', exact: true }).click();
  await page.getByText(/Reverted in/).waitFor({ state: 'detached' });
  const { values } = await here.lab.api('GET', '/targets/leaf1/configuration');
  assert.equal(values['/']['lab:system'].motd, 'maybe');
});

test('what is under way says what it waits for, and can be cancelled', async () => {
  await here.lab.api('POST', '/targets/leaf3/pause');
  const { index } = await here.lab.change({ leaf3: motd('later') }, '?queued&async');
  const page = await here.open(`/transactions/${index}`);
  await page.getByText('It waits').waitFor();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await dialog(page).getByRole('button', { name: 'Cancel it', exact: true }).click();
  await page.getByText('It waits').waitFor({ state: 'detached' });
  await page.locator('h1 .badge', { hasText: 'cancelled' }).waitFor();
  await here.lab.api('POST', '/targets/leaf3/resume');
  await here.lab.settled();
});
