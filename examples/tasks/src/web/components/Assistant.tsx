/** Shows the assistant, as `sdk add chat` writes it, and an agent that needs approval. */
import { AssistantPage } from './AssistantPage.tsx'
import { PageTitle } from './PageTitle.tsx'
import { Tidy } from './Tidy.tsx'
import './tidy.css'

export default function Assistant() {
  return (
    <>
      <PageTitle
        title="Assistant"
        lead="A model that calls the routes of this app. Try “List my tasks”, “Create a task: Buy tea” or “Delete task 1”."
      />
      <AssistantPage />
      <Tidy />
    </>
  )
}
