// Before the page is shown, so that it does not change its colours.
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.style.colorScheme = theme

export {}
