import { createApp, createRouter, serve } from '@sdk/server'

// A server in a process of its own, which can be killed. It streams two words to a page of the origin that it is given,
// and never ends.
const [origin = ''] = process.argv.slice(2)
const router = createRouter().on('POST /api/words', async function* words() {
  yield 'one'
  yield 'two'
  await new Promise(() => {})
})
const { url } = await serve(createApp({ router, cors: [origin] }), { port: 0 })
console.log(url)
