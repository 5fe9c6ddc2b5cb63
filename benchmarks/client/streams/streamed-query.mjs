import { createElement, useState } from 'react'
import { QueryClient, QueryClientProvider, experimental_streamedQuery, useQuery } from '@tanstack/react-query'
import { readLines } from './lines.mjs'
import { stage, useFigures } from './stage.mjs'

/** Shows a stream with `streamedQuery` and additional query options. */
export function stageQuery(options) {
  const client = new QueryClient()
  stage(function App() {
    return createElement(QueryClientProvider, { client }, createElement(Stream))
  })

  function Stream() {
    const [enabled, setEnabled] = useState(false)
    const queryFn = experimental_streamedQuery({ streamFn: readLines })
    const { data } = useQuery({ queryKey: ['stream'], queryFn, enabled, ...options })
    return useFigures(data?.length ?? 0, () => setEnabled(true))
  }
}
