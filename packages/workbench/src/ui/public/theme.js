// Runs before the first paint to avoid a flash. It is a separate file because the page's CSP forbids inline scripts.
const kept = localStorage.getItem('theme')
const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
document.documentElement.dataset.theme = kept === 'light' || kept === 'dark' ? kept : system
