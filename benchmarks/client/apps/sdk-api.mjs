import { createElement } from 'react'
import { SdkProvider, useAPI } from '@sdk/react'

export function App() {
  return createElement(SdkProvider, null, createElement(Tasks))
}

function Tasks() {
  const tasks = useAPI('GET /api/v1/tasks', { query: { done: false } })
  const add = useAPI('POST /api/v1/tasks', { onSuccess: () => tasks.refetch() })
  if (tasks.isLoading) return 'Loading'
  if (tasks.isError) return tasks.error.message
  return createElement('button', { onClick: () => add.invoke({ title: 'Tea' }) }, tasks.data.items.length)
}
