// Trains from C++ on arrays of the host: a small class that frees its program and throws what went
// wrong, and the loop by hand and by dtgc_fit.
//   c++ -std=c++17 train.cpp $(pkg-config --cflags --libs dtgc) -o train && ./train
#include <dtgc.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Program {
 public:
  Program(const char *name, const std::string &text, const dtgc_options &o) {
    dtgc_program *p = nullptr;
    dtgc_status s = dtgc_compile_string(name, text.c_str(), &o, &p);
    program.reset(p);
    check(s);
  }

  void run(const char *entry, std::vector<dtgc_buffer> in, std::vector<dtgc_buffer> out) {
    check(dtgc_run(get(), entry, in.data(), int(in.size()), out.data(), int(out.size())));
  }

  // The value of a variable.
  template <class T> std::vector<T> value(const char *path) {
    dtgc_tensor t;
    check(dtgc_var(get(), dtgc_find_var(get(), path), &t));
    std::vector<T> v(t.bytes / sizeof(T));
    check(dtgc_get(get(), path, v.data(), t.bytes));
    return v;
  }
  template <class T> void set(const char *path, const std::vector<T> &v) {
    check(dtgc_set(get(), path, v.data(), v.size() * sizeof(T)));
  }

  // Called after each epoch; false stops. It must not throw: C is between it and the caller.
  using Epoch = std::function<bool(const dtgc_pass &)>;
  void fit(dtgc_fit_options o, Epoch f) {
    o.user = &f;
    o.on_epoch = [](void *user, dtgc_program *, const dtgc_pass *at, const dtgc_pass *) {
      return int(!(*static_cast<Epoch *>(user))(*at));
    };
    check(dtgc_fit(get(), &o));
  }

  dtgc_program *get() { return program.get(); }

 private:
  struct Free {
    void operator()(dtgc_program *p) const { dtgc_free(p); }
  };
  std::unique_ptr<dtgc_program, Free> program;

  void check(dtgc_status s) const {
    if (s != DTGC_OK) throw std::runtime_error(dtgc_error(program.get()));
  }
};

template <class T> dtgc_buffer buffer(const char *name, std::vector<T> &v) {
  return {name, v.data(), v.size() * sizeof(T)};
}

const char model[] = R"(
import "nn"
import "optim"
const batch = 64
layer mlp() {
  up = dense(1, 32, act=tanh)
  down = dense(32, 1)
  apply(x) { return down(up(x)) }
}
curve = mlp()
opt = adam(curve, lr=0.02)
entry train(x: f32[batch, 1], y: f32[batch, 1]) {
  loss = mean((curve(x) - y) ** 2)
  opt.minimize(loss)
  return loss
}
entry predict(x: f32[batch, 1]) { return y = curve(x) }
mesh [data=2, model=2]
layout x = [data, _]
layout y = [data, _]
layout curve.up.w = [_, model]
layout curve.down.w = [model, _]
)";

void train() {
  const int rows = 1000; // the last batch has 40
  std::vector<float> x(rows), y(rows);
  for (int i = 0; i < rows; i++) {
    x[i] = 6.0f * float(i) / rows - 3;
    y[i] = std::sin(x[i]);
  }
  Program p("curve.dtg", model, dtgc_options());

  const dtgc_feed feed[] = {{"x", nullptr, x.data(), rows}, {"y", nullptr, y.data(), rows}};
  dtgc_fit_options o = {};
  o.train.entry = "train";
  o.train.feed = feed;
  o.train.nfeed = 2;
  o.epochs = 100;
  o.shuffle = 1;
  p.fit(o, [](const dtgc_pass &at) {
    double loss = at.metric[0].mean;
    if (at.epoch % 10 == 0) std::printf("epoch %3d  loss %.6f\n", int(at.epoch), loss);
    return loss > 1e-3; // good enough
  });

  std::vector<float> at(64), sine(64);
  for (int i = 0; i < 64; i++) at[i] = float(i) / 32 - 1;
  p.run("predict", {buffer("x", at)}, {buffer("y", sine)});
  std::printf("sin(%.2f) = %.3f, as learnt %.3f; %zu weights up\n", double(at[48]),
              double(std::sin(at[48])), double(sine[48]), p.value<float>("curve.up.w").size());
}

} // namespace

int main() {
  try {
    train();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
