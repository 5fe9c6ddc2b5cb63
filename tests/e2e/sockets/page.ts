/** What the page lets a test see of a component. */
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
  /** How patient its connection is. */
  readonly settings?: object
  /** What it sends before it has asked for a connection, and just after. */
  readonly hello?: readonly [early: unknown, late: unknown]
}

/** What the page lets a test do, as `window.stage`. */
export interface Stage {
  /** Has these components on the page from now on, each with a socket; those that stay are not touched. */
  show(components: readonly Component[], baseUrl?: string): void
  see(name: string): Seen
  send(name: string, message: unknown): boolean
  close(name: string): void
  /** How often a component was rendered and shown. */
  commits(name: string): number
  /** Settles when a component shows this message as its latest. */
  shown(name: string, n: number): Promise<void>
}

declare global {
  interface Window {
    readonly stage: Stage
  }
}

/** The page: React in StrictMode, and components that show what a socket gives them. */
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
  const said = useRef([])
  // StrictMode runs effects twice.
  const say = (message) => {
    if (message === undefined || said.current.includes(message)) return
    said.current.push(message)
    socket.send(message)
  }
  useLayoutEffect(() => say(early), [])
  useEffect(() => say(late), [])
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
