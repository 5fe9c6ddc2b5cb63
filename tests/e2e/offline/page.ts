/** A page whose mutations wait in the outbox of the user in its hash, and with a live list at `?live`. It has no UI. */
export const PAGE = `
import { createRoot } from 'react-dom/client'
import { AuthProvider, SdkProvider, useAPI, useAuth } from '@sdk/react'
import { live } from '@sdk/react/live'
import { offline, temporaryId, useOutbox } from '@sdk/react/offline'

const user = { id: location.hash.slice(1) }
let snapshot = { loading: false, user, token: user.id, error: null }
const listeners = new Set()
const become = (id) => {
  snapshot = { loading: false, user: id && { id }, token: id, error: null }
  for (const listener of listeners) listener()
}
const source = {
  snapshot: () => snapshot,
  subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
  token: async () => snapshot.token,
  signOut: async () => become(null),
}
const results = []

/** Notes the result of a mutation. */
function note(answer) {
  const at = results.push(null) - 1
  answer.then((data) => (results[at] = data), (error) => (results[at] = error.code ?? error.name))
}

const LIST = 'GET /api/v1/tasks'
/** All states of the list that were shown: \`n\` of each row. */
const shown = []

function App() {
  const list = useAPI(LIST, { query: { sort: '-id' }, live: true, enabled: location.search === '?live' })
  const create = useAPI('POST /api/v1/tasks', {
    offline: true,
    optimistic: (cache, row, { temporaryId: id }) =>
      cache.update(LIST, (page) => ({ ...page, data: [{ ...row, id }, ...page.data] })),
  })
  const change = useAPI('PATCH /api/v1/tasks/:id', { offline: true })
  const remove = useAPI('DELETE /api/v1/tasks/:id', { offline: true })
  const { signOut } = useAuth()
  const { items, retry, discard } = useOutbox()
  const rows = JSON.stringify(list.data?.data.map(({ n }) => n) ?? [])
  if (rows !== shown.at(-1)) shown.push(rows)
  window.app = {
    results,
    shown,
    isLive: list.isLive,
    become,
    /** Creates a row, and returns its temporary id. */
    create(input) {
      const id = temporaryId()
      note(create.invoke(input, { temporaryId: id }))
      return id
    },
    change: (id, input) => note(change.invoke(input, { params: { id } })),
    remove: (id) => note(remove.invoke({ params: { id } })),
    signOut: (options) => signOut(options).then(() => 'signed out', (error) => error.code),
    items: () => items.map(({ route, input, error }) => [route, input, error && error.code]),
    retry,
    discard: (at) => discard(at === undefined ? undefined : items[at].id),
    cancel: create.cancel,
  }
  return null
}

createRoot(document.getElementById('root')).render(
  <AuthProvider source={source}><SdkProvider offline={offline} live={live}><App /></SdkProvider></AuthProvider>
)
`
