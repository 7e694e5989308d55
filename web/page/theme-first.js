// Before anything is drawn: the theme that was chosen here before. Not a module, since those run late.
try {
  const theme = localStorage.getItem('lockstep.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; then the system's theme it is.
}
