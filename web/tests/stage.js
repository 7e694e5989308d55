// What most tests need: a lab and a browser for a file of tests, and pages that must have no faults.
import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';

import { launch, view } from './browser.js';
import { Lab } from './lab.js';

/** Sets the stage for the tests of a file. `stage.open` opens a page at an address. What is in `secrets` must be in no log of the node after all. */
export function stage({ secrets = [], ...options } = {}) {
  const here = { lab: null, browser: null, pages: [] };
  before(async () => {
    [here.lab, here.browser] = await Promise.all([Lab.start(options), launch()]);
  });
  after(async () => {
    await here.browser?.close();
    const leaked = here.lab?.leaked(secrets) ?? [];
    await here.lab?.stop();
    assert.deepEqual(leaked, []);
  });
  afterEach(async () => {
    const pages = here.pages.splice(0);
    const faults = pages.flatMap((page) => page.faults.filter((fault) => !page.allowed.some((allowed) => allowed.test(fault))));
    await Promise.all(pages.map((page) => page.context().close()));
    assert.deepEqual(faults, []);
  });
  here.open = async (path, given = {}) => {
    const page = await view(here.browser, here.lab.url, given);
    here.pages.push(page);
    // A browser notes on its console every answer that is a refusal; a test says which ones it asked for.
    page.allowed = [];
    await page.goto(path);
    return page;
  };
  return here;
}

export const motd = (text) => ({ update: { '/system/motd': text } });

/** The row of a list that has this link. */
export const row = (page, name) => page.locator('.row', { has: page.getByRole('link', { name, exact: true }) });

export const dialog = (page) => page.getByRole('dialog');
