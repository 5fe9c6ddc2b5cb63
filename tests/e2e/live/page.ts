/** A page that shows the tasks of the user, and records every state, and the text of every frame. */
export const LIVE_PAGE = `
import { StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { AuthProvider, SdkProvider, useAPI, usePages } from '@sdk/react'
import { live } from '@sdk/react/live'

const toState = (id) => ({ loading: false, user: id && { id }, token: id, error: null })
let snapshot = toState(location.hash.slice(1) || null)
const listeners = new Set()
const source = {
  snapshot: () => snapshot,
  subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
  token: async () => snapshot.token,
}
window.become = (id) => {
  snapshot = toState(id)
  for (const listener of listeners) listener()
}
window.seen = []
// The text in every frame that the browser has drawn, and after every change of the document in between.
window.drawn = []
window.frameCount = 0
const record = () => {
  const text = document.querySelector('output')?.textContent
  if (text && text !== window.drawn.at(-1)) window.drawn.push(text)
}
new MutationObserver(record).observe(document.body, { subtree: true, childList: true, characterData: true })
requestAnimationFrame(function onFrame() {
  window.frameCount += 1
  record()
  requestAnimationFrame(onFrame)
})

const LIST = 'GET /api/v1/tasks'

function Tasks() {
  const list = useAPI(LIST, { query: { sort: 'id' }, live: true })
  const pages = usePages(LIST, { query: { sort: '-id', limit: 2 }, live: true })
  const edit = useAPI('PATCH /api/v1/tasks/:id', {
    concurrency: 'queue',
    optimistic: (cache, change, { params }) =>
      cache.update(LIST, (page) => ({
        ...page,
        data: page.data.map((task) => (task.id === params.id ? { ...task, ...change } : task)),
      })),
  })
  const create = useAPI('POST /api/v1/tasks', {
    optimistic: (cache, task) =>
      cache.update(LIST, (page) => ({ ...page, data: [{ ...task, id: -1 }, ...page.data] })),
  })
  window.create = (title) => create.invoke({ title })
  window.edit = (id, title) => edit.invoke({ title }, { params: { id } })
  window.more = pages.fetchNext
  const state = {
    user: snapshot.user?.id ?? null,
    isLive: list.isLive && pages.isLive,
    titles: list.data?.data.map(({ title }) => title) ?? [],
    pages: pages.items.map(({ title }) => title),
    error: list.error?.code ?? null,
  }
  useEffect(() => void window.seen.push(state))
  return <output>{JSON.stringify(state)}</output>
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <AuthProvider source={source}><SdkProvider live={live}><Tasks /></SdkProvider></AuthProvider>
  </StrictMode>
)
`
