import { useCompletion } from '@ai-sdk/react'
import { stage, TOKEN, useFigures } from './stage.mjs'

stage(function App() {
  const { completion, complete } = useCompletion({ api: '/stream/text' })
  return useFigures(completion.length / TOKEN.length, () => complete('Tea'))
})
