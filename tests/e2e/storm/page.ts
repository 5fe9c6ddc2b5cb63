import type { Account } from '../auth/page.ts'

/** The requested content of the page. */
export interface View {
  /** The id in the path of a route; null shows no such component. @default null */
  readonly item?: number | null
  /** The id of a component that suspends. @default null */
  readonly suspended?: number | null
  /** The team whose socket is open; null closes it. @default null */
  readonly team?: string | null
}

/** The content of the page after one render. */
export interface Sight {
  /** The email address of the signed-in user, `nobody`, or `loading`. */
  readonly user: string
  readonly view: View
  /** All texts of the server that the hooks returned in this render. */
  readonly texts: readonly string[]
}

/** The functions that the page exposes to tests, as `window.storm`. */
export interface StormPage {
  signUp(account: Account): Promise<void>
  signIn(account: Account): Promise<void>
  signOut(): Promise<void>
  /** Changes the content, immediately or in a transition. */
  show(view: View, isTransition?: boolean): void
  /** Starts a stream, and ignores the promise. */
  talk(): void
  /** Sends requests sequentially. */
  save(...texts: string[]): void
  say(message: string): boolean
  /** Returns the current content of the page. */
  see(): Sight
  history(): Sight[]
  /** Returns the arguments of `onChunk` and `onSuccess`, each with the user at that time. */
  received(): { readonly user: string; readonly text: string }[]
  /** Returns all requests of the page, as `METHOD /path`. */
  requests(): string[]
  /** Returns the number of open or opening sockets, and of listeners on `window` and `document`. */
  held(): { readonly sockets: number; readonly listeners: number }
}

declare global {
  interface Window {
    readonly storm: StormPage
  }
}

/** React in StrictMode with every hook, and counters of their resources. */
export const PAGE = `
import { StrictMode, Suspense, startTransition, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { AuthProvider, SdkProvider, useAPI, useAuth, useWebsocket } from '@sdk/react'

const requests = []
const fetchIt = window.fetch
window.fetch = (target, init) => {
  requests.push((init?.method ?? 'GET') + ' ' + new URL(target, location.href).pathname)
  return fetchIt(target, init)
}
const sockets = new Set()
window.WebSocket = class extends WebSocket {
  constructor(...all) {
    super(...all)
    sockets.add(this)
    this.addEventListener('close', () => sockets.delete(this))
  }
}
const listeners = new Map()
const keyOf = (target, type, listener, options) => [target === window, type, idOf(listener), Boolean(options?.capture ?? options)].join()
const ids = new WeakMap()
const idOf = (it) => ids.get(it) ?? (ids.set(it, Math.random()), ids.get(it))
for (const target of [window, document]) {
  const { addEventListener, removeEventListener } = target
  target.addEventListener = (type, listener, options) => {
    if (listener) listeners.set(keyOf(target, type, listener, options), 1)
    addEventListener.call(target, type, listener, options)
  }
  target.removeEventListener = (type, listener, options) => {
    if (listener) listeners.delete(keyOf(target, type, listener, options))
    removeEventListener.call(target, type, listener, options)
  }
}

const history = []
const received = []
let user = 'loading'
const receive = (text) => received.push({ user, text: String(text) })

function App() {
  const auth = useAuth()
  const [view, setView] = useState({})
  const name = auth.authLoading ? 'loading' : (auth.user?.email ?? 'nobody')
  const talk = useAPI('POST /api/talk', { onChunk: receive, onSuccess: (all) => all.forEach(receive) })
  const save = useAPI('POST /api/save', { concurrency: 'queue', onSuccess: receive })
  const { team = null } = view
  const socket = useWebsocket('/ws/team', { query: { team: team ?? '' }, enabled: team !== null })
  const { signUp, signIn, signOut } = auth
  user = name
  Object.assign(window.storm, {
    signUp,
    signIn: ({ email, password }) => signIn({ email, password }),
    signOut,
    show: (next, isTransition) => (isTransition ? startTransition : flushSync)(() => setView(next)),
    talk: () => void talk.invoke(),
    save: (...texts) => texts.forEach((text) => void save.invoke({ text })),
    say: (message) => socket.send(message),
  })
  const texts = [...(talk.data ?? []), save.data, ...socket.messages].filter(Boolean)
  return (
    <Shown user={name} view={view} texts={texts}>
      {view.item != null && <Item user={name} view={view} id={view.item} />}
      <Suspense fallback={<p id="waiting" />}>
        {view.suspended != null && <Item user={name} view={view} id={view.suspended} suspense />}
      </Suspense>
    </Shown>
  )
}

function Item({ user, view, id, suspense = false }) {
  const { data, error } = useAPI('GET /api/items/:id', { params: { id }, query: { suspense }, suspense })
  return <Shown user={user} view={view} texts={[data ?? error?.code].filter(Boolean)} />
}

function Shown({ user, view, texts, children }) {
  useEffect(() => void history.push({ user, view, texts }))
  return (
    <section>
      <pre>{JSON.stringify({ user, view, texts })}</pre>
      {children}
    </section>
  )
}

window.storm = {
  see() {
    const all = Array.from(document.querySelectorAll('pre'), (it) => JSON.parse(it.textContent))
    return { ...all[0], texts: all.flatMap(({ texts }) => texts) }
  },
  history: () => history,
  received: () => received,
  requests: () => requests,
  held: () => ({ sockets: sockets.size, listeners: listeners.size }),
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <AuthProvider>
      <SdkProvider>
        <App />
      </SdkProvider>
    </AuthProvider>
  </StrictMode>,
)
`
