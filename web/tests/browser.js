// A real browser: Debian's chromium. Whatever a page says on its console, and whatever it asks of others, is noted.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { PATIENCE, ROOT } from './lab.js';

const { chromium } = createRequire(join(ROOT, '.tools/web/'))('playwright-core');
const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** How often a browser is started that never opens a page, which one of a busy machine now and then does not. */
const STARTS = 3;

export async function launch() {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error('there is no chromium: scripts/setup web installs it, or CHROMIUM names one');
  for (let start = 1; start <= STARTS; start += 1) {
    const args = ['--no-sandbox', '--disable-dev-shm-usage'];
    const browser = await chromium.launch({ executablePath, args }).catch(() => null);
    if (browser && (await opens(browser))) return browser;
    // Nobody waits for the end of one that does not answer: it ends with this process.
    browser?.close().catch(() => {});
  }
  throw new Error(`${executablePath} was started ${STARTS} times and never opened a page`);
}

/** Whether it opens a page while somebody waits for it. */
async function opens(browser) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE / 2, false);
  });
  const opened = browser.newPage().then((page) => page.close()).then(() => true, () => false);
  const answer = await Promise.race([opened, late]);
  clearTimeout(timer);
  return answer;
}

/** A page in a window of its own, with `faults`: what must not have happened. */
export async function view(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', baseURL: url, ...options });
  context.setDefaultTimeout(PATIENCE);
  // While writing: the page as it is on the disk, in a node that was built before.
  if (process.env.FROM_DISK) {
    await context.route('**/assets/**', (route) => route.fulfill({ path: join(ROOT, 'web/page', new URL(route.request().url()).pathname.split('/').slice(3).join('/')) }));
  }
  const page = await context.newPage();
  page.faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.faults.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => page.faults.push(`thrown: ${error.stack}`));
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !asked.startsWith('data:')) page.faults.push(`asked elsewhere: ${asked}`);
  });
  return page;
}
