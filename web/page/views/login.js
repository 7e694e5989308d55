// Who are you? Only where the node asks.
import { html, useRef, useState } from '../lib.js';
import { get } from '../api.js';
import { Refused } from '../parts/notice.js';
import { useTitle } from '../router.js';
import { asked, basic, bearer, me, show } from '../session.js';
import { useStore } from '../store.js';

export function Login() {
  useTitle('Sign in');
  const why = useStore(asked);
  const [way, choose] = useState('password');
  const [keep, setKeep] = useState(false);
  const [error, fail] = useState(null);
  const [busy, setBusy] = useState(false);
  const form = useRef(null);

  async function submit(event) {
    event.preventDefault();
    const given = new FormData(form.current);
    setBusy(true);
    fail(null);
    show(way === 'password' ? basic(given.get('name'), given.get('password')) : bearer(given.get('token')), keep);
    try {
      me.set(await get('/me'));
    } catch (refusal) {
      asked.set(null);
      fail(refusal);
    }
    setBusy(false);
  }

  return html`
    <section class="login">
      <h1>Sign in</h1>
      ${why && !error && html`<p class="callout tone-warn"><span>${why}</span></p>`}
      <div class="tabs" role="tablist" aria-label="How">
        ${[['password', 'Password'], ['token', 'Token']].map(([one, name]) => html`
          <button key=${one} role="tab" aria-selected=${way === one} onClick=${() => choose(one)}>${name}</button>`)}
      </div>
      <form ref=${form} onSubmit=${submit}>
        ${way === 'password'
          ? html`
            <label>Name <input name="name" autocomplete="username" autocapitalize="none" spellcheck=${false} required autofocus /></label>
            <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>`
          : html`<label>Bearer token (JWT) <textarea name="token" rows="4" spellcheck=${false} autocomplete="off" required></textarea></label>`}
        <label class="check"><input type="checkbox" checked=${keep} onChange=${(event) => setKeep(event.target.checked)} /> Stay signed in when the page is loaded again</label>
        ${keep && html`<p class="muted small">${way === 'password' ? 'Your name and password are' : 'The token is'} then kept, as entered, in this tab's storage until you sign out or close the tab. Leave it off on a machine that others use.</p>`}
        <${Refused} error=${error} />
        <button class="primary" disabled=${busy}>${busy ? 'Signing in…' : 'Sign in'}</button>
      </form>
      <p class="muted small">What you enter is sent to this node alone, in a header of each request. It is kept in the memory of this page, which ends when the page is loaded again.</p>
    </section>`;
}
