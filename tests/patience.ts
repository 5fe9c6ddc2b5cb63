/** Runs before the tests of each file: sets long timeouts, since a busy machine is slow. */
if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: 15_000 })
}
