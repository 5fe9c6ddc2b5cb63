/** The state of a component that the page exposes to tests. */
export interface Seen {
  readonly status: string
  readonly code: string | null
  readonly pending: number
  readonly data: unknown
  readonly messages: readonly unknown[]
}

/** A component of the page. */
export interface Component {
  readonly name: string
  readonly path: string
  /** The timeouts of its connection. */
  readonly settings?: object
  /** The messages that it sends before and right after it requests a connection. */
  readonly hello?: readonly [early: unknown, late: unknown]
}

/** The functions that the page exposes to tests, as `window.stage`. */
export interface Stage {
  /** Shows exactly these components, each with a socket; existing ones are kept. */
  show(components: readonly Component[], baseUrl?: string): void
  see(name: string): Seen
  send(name: string, message: unknown): boolean
  close(name: string): void
  /** Returns the number of renders of a component. */
  commits(name: string): number
  /** Resolves when a component shows this message as its latest. */
  shown(name: string, n: number): Promise<void>
}

declare global {
  interface Window {
    readonly stage: Stage
  }
}

/** The page: React in StrictMode, and components that show the state of a socket. */
export const PAGE = `
import { StrictMode, useEffect, useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { SdkProvider, useWebsocket } from '@sdk/react'

const results = new Map()
const commits = new Map()
const waiting = new Set()
const root = createRoot(document.getElementById('root'))

function Share({ name, path, settings, hello: [early, late] = [] }) {
  const socket = useWebsocket(path, settings)
  const sent = useRef([])
  // StrictMode runs effects twice.
  const sendOnce = (message) => {
    if (message === undefined || sent.current.includes(message)) return
    sent.current.push(message)
    socket.send(message)
  }
  useLayoutEffect(() => sendOnce(early), [])
  useEffect(() => sendOnce(late), [])
  useEffect(() => {
    results.set(name, socket)
    commits.set(name, (commits.get(name) ?? 0) + 1)
    for (const look of waiting) look()
  })
  return (
    <tr>
      <td>{name}</td>
      <td>{socket.status}</td>
      <td>{socket.error?.code ?? 'no error'}</td>
      <td>{socket.pending} pending</td>
      <td>{socket.messages.length} messages</td>
      <td>{JSON.stringify(socket.data)}</td>
    </tr>
  )
}

window.stage = {
  show(components, baseUrl) {
    const page = (
      <StrictMode>
        <SdkProvider baseUrl={baseUrl}>
          <table>
            <tbody>
              {components.map((props) => (
                <Share key={props.name} {...props} />
              ))}
            </tbody>
          </table>
        </SdkProvider>
      </StrictMode>
    )
    flushSync(() => root.render(page))
  },
  see(name) {
    const { status, error, pending, data, messages } = results.get(name)
    return { status, code: error?.code ?? null, pending, data, messages }
  },
  send: (name, message) => results.get(name).send(message),
  close: (name) => results.get(name).close(),
  commits: (name) => commits.get(name) ?? 0,
  shown: (name, n) =>
    new Promise((resolve) => waiting.add(() => results.get(name)?.data?.n === n && resolve())),
}
`
