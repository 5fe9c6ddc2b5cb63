import { createElement } from 'react'
import { useCompletion } from '@ai-sdk/react'

export function App() {
  const { completion, complete, isLoading, error } = useCompletion()
  if (error) return error.message
  return createElement('button', { onClick: () => complete('Tea'), disabled: isLoading }, completion)
}
