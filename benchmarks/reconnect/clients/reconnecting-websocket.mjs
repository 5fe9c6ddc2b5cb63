import { createRequire } from 'node:module'
import { openPlain } from './plain.mjs'

const require = createRequire(import.meta.url)
const file = require.resolve('reconnecting-websocket')

// It chooses its delay at load time, once per browser. So each client here loads its own copy.
export const open = openPlain(() => {
  delete require.cache[file]
  return require(file)
})
