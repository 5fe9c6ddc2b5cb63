import { createElement } from 'react'
import { QueryClient, QueryClientProvider, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, post } from './fetch.mjs'

const queryClient = new QueryClient()

export function App() {
  return createElement(QueryClientProvider, { client: queryClient }, createElement(Tasks))
}

function Tasks() {
  const queries = useQueryClient()
  const tasks = useQuery({ queryKey: ['tasks'], queryFn: () => call('/api/v1/tasks?done=false') })
  const add = useMutation({
    mutationFn: (task) => post('/api/v1/tasks', task),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tasks'] }),
  })
  if (tasks.isPending) return 'Loading'
  if (tasks.isError) return tasks.error.message
  return createElement('button', { onClick: () => add.mutate({ title: 'Tea' }) }, tasks.data.items.length)
}
