// Signing in, what roles give, and what a refusal says.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { hashed } from '../lab.js';
import { dialog, motd, row, stage } from '../stage.js';

const PASSWORD = 'correct-horse-battery';
const SECRET = 'a-shared-secret-of-more-than-thirty-two-bytes';
/** What is in no log afterwards; every token that is issued comes to it. */
const secrets = [PASSWORD, SECRET];
const key = join(tmpdir(), `lockstep-page-key-${process.pid}`);
writeFileSync(key, SECRET);
process.on('exit', () => rmSync(key, { force: true }));

const basic = (name) => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;
const hash = hashed(PASSWORD);
const here = stage({
  secrets,
  headers: { authorization: basic('root') },
  extra: {
    users: { root: hash, reader: hash, ports: hash, ämil: hash },
    tokens: [{ issuer: 'ci', audience: 'lockstep', secret: key }],
    roles: {
      all: { may: ['read', 'change', 'operate'], users: ['root', 'ämil', 'robot'] },
      reads: { may: ['read'], users: ['reader', 'job'] },
      ports: { may: ['read'], users: ['ports'] },
      change: { may: ['change'], users: ['ports'], targets: ['leaf*'], paths: ['/interfaces'] },
      operate: { may: ['operate'], users: ['ports'], targets: ['spine1'] },
    },
  },
});

function token(seconds, sub = 'job') {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iss: 'ci', aud: 'lockstep', sub, exp: Math.floor(Date.now() / 1000) + seconds })}`;
  const issued = `${body}.${createHmac('sha256', SECRET).update(body).digest('base64url')}`;
  secrets.push(issued);
  return issued;
}

async function enter(path, name, password = PASSWORD) {
  const page = await here.open(path);
  page.allowed.push(/401|403/);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}

test('whoever signs in goes where they wanted to, and what they showed is in no address and kept in this tab alone', async () => {
  const asked = [];
  const page = await here.open('/targets/leaf1');
  page.allowed.push(/401/);
  page.on('request', (request) => asked.push(request.url()));
  await page.getByLabel('Name').fill('ämil');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Stay signed in').check();
  await page.getByText('Your name and password are then kept').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: /leaf1/ }).waitFor();
  await page.getByText('ämil').waitFor();
  assert.ok(asked.every((url) => !url.includes(PASSWORD) && !/authorization|token|password/i.test(url)));
  assert.equal(await page.evaluate(() => JSON.stringify(localStorage) + document.cookie), '{}');
  // It survives a reload of this tab; not another tab.
  await page.reload();
  await page.getByRole('heading', { name: /leaf1/ }).waitFor();
  const other = await page.context().newPage();
  await other.goto('/');
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await page.getByLabel('Change file').fill('leaf1: {update: {/system/motd: a draft}}');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0, 'the draft is gone too');
});

test('unless they say so, whoever signed in is asked again after a reload', async () => {
  const page = await here.open('/');
  page.allowed.push(/401/);
  await page.getByLabel('Name').fill('root');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await row(page, 'leaf1').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a wrong password is refused, and nothing is shown', async () => {
  const page = await enter('/', 'root', 'wrong');
  await page.getByText('the credentials are not valid').waitFor();
  assert.equal(await page.locator('.targets').count(), 0);
});

test('a token does as well', async () => {
  const page = await here.open('/');
  page.allowed.push(/401/);
  await page.getByRole('tab', { name: 'Token' }).click();
  await page.getByLabel('Bearer token').fill(token(600));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('job').waitFor();
  await row(page, 'leaf1').waitFor();
});

test('a token that ends leads to where one signs in, with the reason; a draft stays for the same user, and for nobody else', async () => {
  const page = await here.open('/change');
  page.allowed.push(/401/);
  const show = async (seconds) => {
    await page.getByRole('tab', { name: 'Token' }).click();
    await page.getByLabel('Bearer token').fill(token(seconds, 'robot'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('robot').waitFor();
  };
  await show(10);
  await page.getByLabel('Change file').fill('leaf1: {}');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByText(/the credentials are not valid/).waitFor();
  await show(600);
  assert.equal(await page.getByLabel('Change file').inputValue(), 'leaf1: {}');
  await page.evaluate(() => {
    const kept = JSON.parse(sessionStorage.getItem('lockstep.draft'));
    sessionStorage.setItem('lockstep.draft', JSON.stringify({ ...kept, by: 'somebody else' }));
  });
  await page.getByRole('link', { name: 'Network' }).click();
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  assert.equal(await page.getByLabel('Change file').inputValue(), '');
});

test('what somebody may not do anywhere is not offered', async () => {
  const { index } = await here.lab.change({ leaf1: motd('x') });
  const page = await enter(`/transactions/${index}`, 'reader');
  await page.getByText('root').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Roll back…' }).count(), 0);
  await page.getByRole('link', { name: 'leaf1' }).click();
  await page.getByRole('heading', { name: 'Configuration' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Pause…' }).count(), 0);
  await page.getByRole('link', { name: 'Change', exact: true }).click();
  await page.getByText('No role gives you').waitFor();
});

test('what somebody may not do here is refused with the rule that is missing', async () => {
  const page = await enter('/change', 'ports');
  await page.getByLabel('Change file').fill('leaf1: {update: {/system/motd: x}}');
  await page.getByRole('button', { name: 'Submit without a dry run' }).click();
  await page.getByText('no role gives ports `change` on target leaf1 at /system/motd').waitFor();
  await page.getByText('Not allowed').waitFor();
  await page.getByRole('link', { name: 'Network' }).click();
  await page.getByRole('link', { name: 'leaf2', exact: true }).click();
  await page.getByRole('button', { name: 'Pause…' }).click();
  await dialog(page).getByRole('button', { name: 'Pause', exact: true }).click();
  await dialog(page).getByText('no role gives ports `operate` on target leaf2').waitFor();
});

test('the documentation is open to everybody', async () => {
  const page = await here.open('/docs/security');
  page.allowed.push(/401/);
  await page.getByRole('heading', { name: /^Security/ }).waitFor();
});
