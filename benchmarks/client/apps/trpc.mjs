import { createElement } from 'react'
import { QueryClient, QueryClientProvider, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createTRPCClient, httpLink } from '@trpc/client'
import { createTRPCContext } from '@trpc/tanstack-react-query'

const { TRPCProvider, useTRPC } = createTRPCContext()
const queryClient = new QueryClient()
const trpcClient = createTRPCClient({ links: [httpLink({ url: '/trpc' })] })

export function App() {
  const tasks = createElement(TRPCProvider, { trpcClient, queryClient }, createElement(Tasks))
  return createElement(QueryClientProvider, { client: queryClient }, tasks)
}

function Tasks() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const tasks = useQuery(trpc.tasks.list.queryOptions({ done: false }))
  const add = useMutation(
    trpc.tasks.add.mutationOptions({ onSuccess: () => queries.invalidateQueries(trpc.tasks.list.queryFilter()) }),
  )
  if (tasks.isPending) return 'Loading'
  if (tasks.isError) return tasks.error.message
  return createElement('button', { onClick: () => add.mutate({ title: 'Tea' }) }, tasks.data.items.length)
}
