/** The state of a client, as its component showed it. */
export interface ClientView {
  /** Each status and error code that was rendered, in order, without repetitions. */
  readonly shown: readonly string[]
  readonly sent: number
  readonly pending: number
  /** The numbers that were answered, and those of the first client, which all receive. */
  readonly answers: readonly number[]
  readonly published: readonly number[]
  readonly gaps: number
}

/** The functions of the page, as `window.restart`. */
export interface RestartPage {
  /** Shows this many clients with a connection each, which send a number every 50 ms. */
  talk(clients: number): void
  /** Sends no more numbers. */
  hush(): void
  clients(): ClientView[]
  /** Shows this many components of one connection, mounted one after the other; resolves when all are connected. */
  follow(components: number): Promise<void>
  /** Receives this many messages; returns the frames that were painted, and those in which components differed. */
  count(messages: number): Promise<{ frames: number; different: string[] }>
}

declare global {
  interface Window {
    readonly restart: RestartPage
  }
}

/** The page: clients that send messages, and components that share one socket. */
export const PAGE = `
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '@sdk/frontend'
import { SdkProvider, useWebsocket } from '@sdk/react'

const root = createRoot(document.getElementById('root'))
const clients = []
let timer

function Talker({ client }) {
  const { send, status, error, pending } = useWebsocket('/ws/talk', {
    onMessage: ({ by, n }) => (by === undefined ? client.answers : client.published).push(n),
    onGap: () => client.gaps++,
  })
  const view = status + (error ? ' ' + error.code : '')
  useEffect(() => {
    client.pending = pending
    client.send = send
    client.status = status
    if (client.shown.at(-1) !== view) client.shown.push(view)
  })
  return <p>{view}</p>
}

function Follower({ name }) {
  const { data, status, send } = useWebsocket('/ws/count')
  useEffect(() => void (window.countTo = send))
  return <p title={name} data-status={status}>{data}</p>
}

const nextFrame = () => new Promise(requestAnimationFrame)

window.restart = {
  talk(count) {
    for (let id = 0; id < count; id++)
      clients.push({ id, sdk: createClient(), shown: [], sent: 0, pending: 0, answers: [], published: [], gaps: 0 })
    root.render(clients.map((client) => (
      <SdkProvider key={client.id} client={client.sdk}>
        <Talker client={client} />
      </SdkProvider>
    )))
    timer = setInterval(() => {
      if (!clients.every(({ status }) => status === 'open')) return
      for (const client of clients) if (client.send({ by: client.id, n: client.sent + 1 })) client.sent++
    }, 50)
  },
  hush: () => clearInterval(timer),
  clients: () => clients.map(({ shown, sent, pending, answers, published, gaps }) => ({ shown, sent, pending, answers, published, gaps })),
  async follow(count) {
    for (let shown = 1; shown <= count; shown++) {
      root.render(
        <SdkProvider>
          {Array.from({ length: shown }, (_, index) => <Follower key={index} name={String(index)} />)}
        </SdkProvider>
      )
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    while (document.querySelectorAll('[data-status=open]').length < count) await nextFrame()
  },
  async count(messages) {
    const different = []
    let frames = 0
    window.countTo(messages)
    for (;;) {
      await nextFrame()
      const texts = new Set([...document.querySelectorAll('p')].map((element) => element.textContent))
      frames++
      if (texts.size > 1) different.push([...texts].join(' | '))
      if (texts.has(String(messages))) return { frames, different }
    }
  },
}
`
