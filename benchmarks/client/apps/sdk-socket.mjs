import { createElement } from 'react'
import { SdkProvider, useAPI, useWebsocket } from '@sdk/react'

export function App() {
  return createElement(SdkProvider, null, createElement(Tasks))
}

function Tasks() {
  const tasks = useAPI('GET /api/v1/tasks', { query: { done: false } })
  const add = useAPI('POST /api/v1/tasks', { onSuccess: () => tasks.refetch() })
  const chat = useWebsocket('/ws/chat')
  if (tasks.isLoading) return 'Loading'
  if (tasks.isError) return tasks.error.message
  const onClick = () => {
    void add.invoke({ title: 'Tea' })
    chat.send({ text: 'Tea' })
  }
  return createElement('button', { onClick }, tasks.data.items.length, chat.messages.length)
}
