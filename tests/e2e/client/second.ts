import { createApp, createRouter, serve } from '@sdk/server'

// A server in a separate process, which can be killed. It streams two words to a page of the given origin, and never
// ends.
const [origin = ''] = process.argv.slice(2)
const router = createRouter().on('POST /api/words', async function* words() {
  yield 'one'
  yield 'two'
  await new Promise(() => {})
})
const { url } = await serve(createApp({ router, cors: [origin] }), { port: 0 })
console.log(url)
