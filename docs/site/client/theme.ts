// Runs before the first paint, so that the colors do not flash.
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.style.colorScheme = theme

export {}
