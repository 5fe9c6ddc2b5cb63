/** Run before the tests of each file: a busy machine takes its time, and who waits for what comes loses nothing. */
if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: 15_000 })
}
