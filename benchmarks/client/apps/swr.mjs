import { createElement } from 'react'
import useSWR from 'swr'
import useSWRMutation from 'swr/mutation'
import { call, post } from './fetch.mjs'

export function App() {
  const tasks = useSWR('/api/v1/tasks?done=false', call)
  const add = useSWRMutation('/api/v1/tasks?done=false', (_key, { arg }) => post('/api/v1/tasks', arg))
  if (tasks.isLoading) return 'Loading'
  if (tasks.error) return tasks.error.message
  return createElement('button', { onClick: () => add.trigger({ title: 'Tea' }) }, tasks.data.items.length)
}
