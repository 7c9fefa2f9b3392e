// Times Pinocchio's algorithms in C++ on a mechanism read from a file.
//
//     pinocchio_driver mechanism.txt
//
// The file (written by pinocchio_native.py) holds joints, closures and a state; joint 0 is the world.
// Commands on standard input, one a line:  "<algorithm> 0 mu iterations" prints the accelerations,
// "<algorithm> n mu iterations" prints the seconds that n evaluations take.
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "pinocchio/fwd.hpp"  // first: sets the limits of Boost's templates

#include "pinocchio/algorithm/aba.hpp"
#include "pinocchio/algorithm/constrained-dynamics.hpp"
#include "pinocchio/algorithm/contact-dynamics.hpp"
#include "pinocchio/algorithm/crba.hpp"
#include "pinocchio/algorithm/joint-configuration.hpp"
#include "pinocchio/algorithm/loop-constrained-aba.hpp"
#include "pinocchio/algorithm/rnea.hpp"

namespace pin = pinocchio;
using Vector3 = Eigen::Vector3d;

struct Closure {
  char kind;  // P: two points coincide; Q: the same in the plane y = constant; D: they keep their distance
  pin::JointIndex a, b;
  Vector3 pa, pb;
  int rows() const { return kind == 'P' ? 3 : kind == 'Q' ? 2 : 1; }
};

struct Mechanism {
  pin::Model model;
  std::vector<Closure> closures;
  Eigen::VectorXd q, v, tau;

  explicit Mechanism(const char *path) {
    std::ifstream in(path);
    int joints, cuts;
    in >> model.gravity.linear()[0] >> model.gravity.linear()[1] >> model.gravity.linear()[2] >> joints;
    for (int k = 0; k < joints; ++k) {
      char kind;
      pin::JointIndex parent;
      Vector3 at, axis, com;
      double mass, I[6];
      in >> kind >> parent >> at[0] >> at[1] >> at[2] >> axis[0] >> axis[1] >> axis[2];
      in >> mass >> com[0] >> com[1] >> com[2];
      for (double &entry : I) in >> entry;
      const pin::SE3 placement(Eigen::Matrix3d::Identity(), at);
      const std::string name = "joint" + std::to_string(k);
      pin::JointIndex id;
      if (kind == 'F') id = model.addJoint(parent, pin::JointModelFreeFlyer(), placement, name);
      else if (kind == 'S') id = model.addJoint(parent, pin::JointModelSpherical(), placement, name);
      else if (axis == Vector3::UnitX()) id = model.addJoint(parent, pin::JointModelRX(), placement, name);
      else if (axis == Vector3::UnitY()) id = model.addJoint(parent, pin::JointModelRY(), placement, name);
      else if (axis == Vector3::UnitZ()) id = model.addJoint(parent, pin::JointModelRZ(), placement, name);
      else id = model.addJoint(parent, pin::JointModelRevoluteUnaligned(axis), placement, name);
      Eigen::Matrix3d inertia;
      inertia << I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5];
      model.appendBodyToJoint(id, pin::Inertia(mass, com, inertia), pin::SE3::Identity());
    }
    in >> cuts;
    for (int k = 0; k < cuts; ++k) {
      Closure c;
      in >> c.kind >> c.a >> c.b >> c.pa[0] >> c.pa[1] >> c.pa[2] >> c.pb[0] >> c.pb[1] >> c.pb[2];
      closures.push_back(c);
    }
    q.resize(model.nq), v.resize(model.nv), tau.resize(model.nv);
    for (int k = 0; k < model.nq; ++k) in >> q[k];
    for (int k = 0; k < model.nv; ++k) in >> v[k];
    for (int k = 0; k < model.nv; ++k) in >> tau[k];
    if (!in) throw std::runtime_error("the mechanism's file is not as expected");
  }
};

// Exact: M by crba, Coriolis and drifts from one rnea, then Pinocchio's own KKT solve (sparse UDUᵀ of M,
// dense Cholesky of J M⁻¹ Jᵀ).
struct Exact {
  Mechanism &m;
  pin::Data data;
  Eigen::MatrixXd J;
  Eigen::VectorXd gamma, zero;
  std::vector<std::vector<int>> columns;  // columns that a joint's motion depends on

  explicit Exact(Mechanism &mechanism) : m(mechanism), data(m.model) {
    int rows = 0;
    for (const Closure &c : m.closures) rows += c.rows();
    J.setZero(rows, m.model.nv), gamma.setZero(rows), zero.setZero(m.model.nv);
    columns.resize(m.model.njoints);
    for (pin::JointIndex j = 1; j < (pin::JointIndex)m.model.njoints; ++j) {
      columns[j] = columns[m.model.parents[j]];
      for (int k = 0; k < m.model.joints[j].nv(); ++k) columns[j].push_back(m.model.joints[j].idx_v() + k);
    }
  }

  void add(double sign, pin::JointIndex j, const Vector3 &p, Eigen::Index row, char kind, const Vector3 &e) {
    for (int k : columns[j]) {
      const Vector3 column = data.J.col(k).head<3>() + data.J.col(k).tail<3>().cross(p);
      if (kind == 'P') J.col(k).segment<3>(row) += sign * column;
      else if (kind == 'Q') J(row, k) += sign * column[0], J(row + 1, k) += sign * column[2];
      else J(row, k) += sign * e.dot(column);
    }
  }

  void point(pin::JointIndex j, const Vector3 &local, Vector3 &p, Vector3 &velocity, Vector3 &drift) {
    if (j == 0) {
      p = local, velocity.setZero(), drift = -m.model.gravity.linear();
      return;
    }
    const auto &R = data.oMi[j].rotation();
    const Vector3 w = data.v[j].angular(), vp = data.v[j].linear() + w.cross(local);
    p = data.oMi[j].act(local);
    velocity.noalias() = R * vp;
    drift.noalias() = R * (data.a_gf[j].linear() + data.a_gf[j].angular().cross(local) + w.cross(vp));
  }

  const Eigen::VectorXd &operator()() {
    pin::rnea(m.model, data, m.q, m.v, zero);
    data.nle = data.tau;
    pin::crba(m.model, data, m.q, pin::Convention::WORLD);
    J.setZero();
    Eigen::Index row = 0;
    for (const Closure &c : m.closures) {
      Vector3 pa, pb, va, vb, aa, ab;
      point(c.a, c.pa, pa, va, aa), point(c.b, c.pb, pb, vb, ab);
      const Vector3 e = pb - pa, dv = vb - va, da = ab - aa;
      add(1.0, c.b, pb, row, c.kind, e), add(-1.0, c.a, pa, row, c.kind, e);
      if (c.kind == 'P') gamma.segment<3>(row) = da;
      else if (c.kind == 'Q') gamma[row] = da[0], gamma[row + 1] = da[2];
      else gamma[row] = e.dot(da) + dv.squaredNorm();
      row += c.rows();
    }
    return pin::forwardDynamics(m.model, data, m.tau, J, gamma);
  }
};

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  Mechanism m(argv[1]);
  pin::Data data(m.model), constrained(m.model), looped(m.model);
  Exact exact(m);
  std::vector<pin::RigidConstraintModel> rigid;
  for (const Closure &c : m.closures)
    if (c.kind != 'D')
      rigid.emplace_back(pin::CONTACT_3D, m.model, c.a, pin::SE3(Eigen::Matrix3d::Identity(), c.pa), c.b,
                         pin::SE3(Eigen::Matrix3d::Identity(), c.pb), pin::LOCAL);
  std::vector<pin::RigidConstraintData> rigid_data, looped_data;
  for (const auto &c : rigid) rigid_data.emplace_back(c), looped_data.emplace_back(c);
  const bool all = rigid.size() == m.closures.size() && !rigid.empty();
  if (all) {
    pin::initConstraintDynamics(m.model, constrained, rigid, rigid_data);
    pin::computeJointMinimalOrdering(m.model, looped, rigid);
  }
  pin::ProximalSettings settings(1e-14, 1e-14, 1e-12, 1);
  std::map<std::string, std::function<const Eigen::VectorXd &()>> algorithms;
  algorithms["aba"] = [&]() -> const Eigen::VectorXd & { return pin::aba(m.model, data, m.q, m.v, m.tau); };
  algorithms["exact"] = [&]() -> const Eigen::VectorXd & { return exact(); };
  if (all) {
    algorithms["constraintDynamics"] = [&]() -> const Eigen::VectorXd & {
      return pin::constraintDynamics(m.model, constrained, m.q, m.v, m.tau, rigid, rigid_data, settings);
    };
    algorithms["lcaba"] = [&]() -> const Eigen::VectorXd & {
      return pin::lcaba(m.model, looped, m.q, m.v, m.tau, rigid, looped_data, settings);
    };
  }
  std::cout << std::setprecision(17) << "ready" << std::endl;
  std::string name;
  long n;
  double mu;
  int iterations;
  while (std::cin >> name >> n >> mu >> iterations) {
    settings = pin::ProximalSettings(1e-14, 1e-14, mu, iterations);
    const auto &evaluate = algorithms.at(name);
    if (n == 0) {
      std::cout << evaluate().transpose() << std::endl;
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    for (long k = 0; k < n; ++k) evaluate();
    std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << std::endl;
  }
}
