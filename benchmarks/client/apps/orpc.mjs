import { createElement } from 'react'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient, QueryClientProvider, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

const queryClient = new QueryClient()
const orpc = createTanstackQueryUtils(createORPCClient(new RPCLink({ url: `${location.origin}/rpc` })))

export function App() {
  return createElement(QueryClientProvider, { client: queryClient }, createElement(Tasks))
}

function Tasks() {
  const queries = useQueryClient()
  const tasks = useQuery(orpc.tasks.list.queryOptions({ input: { done: false } }))
  const add = useMutation(
    orpc.tasks.add.mutationOptions({ onSuccess: () => queries.invalidateQueries({ queryKey: orpc.tasks.list.key() }) }),
  )
  if (tasks.isPending) return 'Loading'
  if (tasks.isError) return tasks.error.message
  return createElement('button', { onClick: () => add.mutate({ title: 'Tea' }) }, tasks.data.items.length)
}
