// Boundary: a view that cannot be drawn says so, and the rest of the page goes on. Another view, or the same one with
// other answers, is another try.

import { Component, type ComponentChildren } from "preact";

import { Failure } from "./failure";

interface BoundaryProps {
  // Of the view.
  name: string;
  children: ComponentChildren;
}

export class Boundary extends Component<BoundaryProps, { failure: Error | null }> {
  state = { failure: null };

  static getDerivedStateFromError(failure: Error) {
    return { failure };
  }

  componentDidUpdate(before: BoundaryProps) {
    if (before.name !== this.props.name && this.state.failure !== null) this.setState({ failure: null });
  }

  render() {
    if (this.state.failure === null) return this.props.children;
    return (
      <>
        <h1>This view cannot be shown</h1>
        <Failure of={this.state.failure} />
        <button type="button" onClick={() => this.setState({ failure: null })}>
          Try again
        </button>
      </>
    );
  }
}
