// A hundred thousand transactions: and a thousand targets, of a node that is made up; and of a real one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, view } from '../browser.js';
import { Fake } from '../fake.js';
import { grow } from '../grown.js';
import { Lab, until } from '../lab.js';
import { motd, row } from '../stage.js';

const LENGTH = 100_000;
let fake;
let browser;

before(async () => {
  [fake, browser] = await Promise.all([new Fake({ targets: 1000, transactions: LENGTH }).start(), launch()]);
});

after(async () => {
  await browser?.close();
  fake?.stop();
});

const drawn = (page) => page.locator('.row').count();
const pages = () => fake.asked.filter((path) => path.startsWith('/api/v1/transactions?')).length;

test('what is asked for and drawn at first does not depend on how long the log is', async () => {
  const page = await view(browser, fake.url);
  fake.asked = [];
  await page.goto('/transactions');
  await row(page, `#${LENGTH}`).waitFor();
  assert.ok(await drawn(page) < 50, `${await drawn(page)} rows`);
  assert.ok(pages() <= 1, JSON.stringify(fake.asked));
  assert.ok(await page.evaluate(() => document.querySelectorAll('*').length) < 2500);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('any place in the log is one step away, by index or by time', async () => {
  const page = await view(browser, fake.url);
  await page.goto('/transactions');
  await row(page, `#${LENGTH}`).waitFor();
  await page.getByLabel('From').fill('#500');
  await row(page, '#500').waitFor();
  assert.equal(await row(page, '#501').count(), 0);
  fake.append();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await until('the beginning is there', async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    return row(page, '#1').isVisible();
  });
  assert.equal(await row(page, `#${fake.head}`).count(), 0, 'what is new belongs elsewhere');
  await page.getByLabel('From').fill('neither');
  await page.locator('[aria-invalid=true]').waitFor();
  await row(page, `#${fake.head}`).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('far down in the log, what comes in is taken in without drawing all again', async () => {
  const page = await view(browser, fake.url);
  await page.goto('/transactions');
  await row(page, `#${fake.head}`).waitFor();
  const wanted = fake.head - 8000;
  await until('8,000 are loaded', async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    return (await page.locator('.log .lead').last().textContent()).slice(1) <= wanted;
  });
  assert.ok(await drawn(page) < 60);
  await page.evaluate(() => scrollTo(0, 0));
  await row(page, `#${fake.head}`).waitFor();
  // What each row asks for by itself is there, and draws nothing any more.
  await page.waitForFunction(() => [...document.querySelectorAll('.log .row')].every((one) => one.querySelector('.cells')));
  await page.evaluate(() => {
    window.touched = 0;
    new MutationObserver((all) => { window.touched += all.filter(({ type }) => type === 'childList').length; })
      .observe(document.querySelector('.rows'), { subtree: true, childList: true });
  });
  const next = fake.append();
  await row(page, `#${next}`).waitFor();
  const touched = await page.evaluate(() => window.touched);
  assert.ok(touched < 20, `${touched} changes for one row`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('a real node has as long a log, of which any entry is found', async () => {
  const lab = await Lab.start({ names: ['leaf1'], extra: { retention: { transactions: 2 * LENGTH } } });
  try {
    await grow(lab, lab.names, LENGTH, 'where it began');
    const page = await view(browser, lab.url);
    await page.goto('/transactions');
    await row(page, `#${LENGTH}`).waitFor();
    assert.ok(await drawn(page) < 50, `${await drawn(page)} rows`);
    await page.getByLabel('In the comment').fill('it began');
    await row(page, '#1').waitFor();
    assert.equal(await drawn(page), 1);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await row(page, `#${LENGTH}`).waitFor();
    // From the middle on, page by page, to where it begins.
    await page.getByLabel('From').fill('3000');
    await row(page, '#3000').waitFor();
    await until('the beginning is there', async () => {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      return row(page, '#1').isVisible();
    });
    assert.ok(await drawn(page) < 60);
    await page.getByText('That is all that the log has.').waitFor();
    // It is no picture of a log: the next one comes in.
    await page.getByLabel('From').fill('');
    const { index } = await lab.change({ leaf1: motd('the latest') });
    assert.equal(index, LENGTH + 1);
    await row(page, `#${index}`).waitFor();
    assert.deepEqual(page.faults, []);
    await page.context().close();
  } catch (error) {
    error.message += lab.logs();
    throw error;
  } finally {
    await lab.stop();
  }
});
