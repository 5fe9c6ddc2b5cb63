import { ApiError, createAgent, createApp, type Log, serve, type ServeOptions, type Server } from '@sdk/server'
import { type Browser, hasChromium, shareBrowser } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle, toHtml } from './bundle.ts'

/** A page whose source of tokens has a stale one, until a new one is requested with `force`. */
const PAGE = `
import { createRoot } from 'react-dom/client'
import { AuthProvider, SdkProvider, useAPI } from '@sdk/react'

const user = { id: 'u1', name: 'Ada', email: 'ada@x.dev' }
const snapshot = { loading: false, user, token: 'stale', error: null }
let token = 'stale'
const source = {
  snapshot: () => snapshot,
  subscribe: () => () => {},
  token: async ({ force } = {}) => (force ? (token = 'fresh') : token),
}

function Story({ topic }) {
  const { invoke, data, error } = useAPI('POST /agent/story')
  return <button onClick={() => invoke({ topic })}>{error?.code ?? data?.join(' ') ?? 'start'}</button>
}

createRoot(document.getElementById('root')).render(
  <AuthProvider source={source}>
    <SdkProvider>
      <Story topic={location.hash.slice(1)} />
    </SdkProvider>
  </AuthProvider>
)
`

describe.skipIf(!hasChromium())('a token that a streaming agent rejects before its first chunk', () => {
  const requests: (string | null)[] = []
  let server: Server
  let browser: Browser

  beforeAll(async () => {
    const html = toHtml('Renewal', await bundle({ files: { 'page.tsx': PAGE }, mode: 'production' }))
    const quiet = (): void => {}
    const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
    const story = createAgent('story', {
      async *handler(ctx, input) {
        const token = ctx.request.headers.get('authorization')
        requests.push(token)
        if (token !== 'Bearer fresh' || (input as { topic: string }).topic === 'never')
          throw new ApiError('UNAUTHORIZED', 'the token has expired')
        yield 'once'
        yield 'upon'
      },
    })
    const app = createApp({ log, agents: [story], rateLimit: false })
    const options: ServeOptions = {
      port: 0,
      signals: false,
      survive: false,
      fallback: (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
    }
    ;[server, browser] = await Promise.all([serve(app, options), shareBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close({ grace: 100 })
  })

  it.each([
    ['is renewed and the call is sent again', 'tea', 'once upon'],
    ['is renewed once before the call fails', 'never', 'UNAUTHORIZED'],
  ])('%s', async (_name, topic, shown) => {
    requests.length = 0
    const page = await browser.newPage()
    await page.goto(`${server.url}/#${topic}`)
    await page.getByRole('button').click()
    await page.getByRole('button', { name: shown }).waitFor()
    await page.close()
    expect(requests).toEqual(['Bearer stale', 'Bearer fresh'])
  })
})
