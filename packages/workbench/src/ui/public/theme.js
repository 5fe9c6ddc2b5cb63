// Before the first paint, so that nothing flashes; a file, since the page's policy allows no script inside of it.
const kept = localStorage.getItem('theme')
const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
document.documentElement.dataset.theme = kept === 'light' || kept === 'dark' ? kept : system
